import { uuidV7 } from '@farebox/auth';
import type { Queryable } from '@farebox/database';
import type { ChangeSummary } from './apply-catalog-file';
import type { Catalog } from './catalog';
import { toCatalogRows } from './catalog-rows';

/** A catalogue file with a time at which the worker applies it. */
export interface ScheduledCatalog {
  id: string;
  applyAt: Date;
  /** In force when it was scheduled, and what it was compared with. */
  baseVersion: number;
  /** The file's name, for messages. */
  name: string;
  scheduledBy: string;
  scheduledAt: Date;
  state: 'scheduled' | 'applied' | 'refused' | 'withdrawn';
  endedAt: Date | null;
  /** As which it was applied. */
  version: number | null;
  /** Why it was refused, one sentence. */
  reason: string | null;
}

const COLUMNS = `id, apply_at AS "applyAt", base_version AS "baseVersion", name, scheduled_by AS "scheduledBy",
  scheduled_at AS "scheduledAt", state, ended_at AS "endedAt", version, reason`;

export interface NewScheduledCatalog extends Pick<
  ScheduledCatalog,
  'applyAt' | 'baseVersion' | 'name' | 'scheduledBy'
> {
  text: string;
  catalog: Catalog;
  /** For the operators' log: the difference. */
  details: ChangeSummary;
}

/** Undefined if another one is scheduled already. */
export async function scheduleCatalog(
  db: Queryable,
  { applyAt, baseVersion, name, scheduledBy, text, catalog, details }: NewScheduledCatalog,
): Promise<ScheduledCatalog | undefined> {
  const { rows } = await db.query<ScheduledCatalog>(
    `INSERT INTO catalog_schedule (id, apply_at, base_version, name, file, content, details, scheduled_by)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
     ON CONFLICT (state) WHERE state = 'scheduled' DO NOTHING RETURNING ${COLUMNS}`,
    [
      ...[uuidV7(), applyAt, baseVersion, name, text],
      ...[JSON.stringify(toCatalogRows(catalog)), JSON.stringify(details), scheduledBy],
    ],
  );
  return rows[0];
}

/** Newest first. */
export async function listScheduledCatalogs(
  db: Queryable,
  { limit }: { limit: number },
): Promise<ScheduledCatalog[]> {
  const { rows } = await db.query<ScheduledCatalog>(
    `SELECT ${COLUMNS} FROM catalog_schedule ORDER BY id DESC LIMIT $1`,
    [limit],
  );
  return rows;
}

/** The one that waits for its time, or was refused and concerns an operator until they withdraw it or schedule another. */
export function findOpenSchedule(db: Queryable): Promise<ScheduledCatalog | undefined> {
  return findOpen<ScheduledCatalog>(db, COLUMNS);
}

/** The file of that one, with its name. */
export function findScheduledFile(db: Queryable): Promise<{ name: string; text: string } | undefined> {
  return findOpen(db, 'name, file AS text, state');
}

async function findOpen<Row extends object>(db: Queryable, columns: string): Promise<Row | undefined> {
  const { rows } = await db.query<Row>(
    `SELECT * FROM (SELECT ${columns} FROM catalog_schedule ORDER BY id DESC LIMIT 1) newest
     WHERE state IN ('scheduled', 'refused')`,
  );
  return rows[0];
}

/** Returns it as it was before; undefined if there is none to withdraw. */
export async function withdrawSchedule(db: Queryable): Promise<ScheduledCatalog | undefined> {
  const { rows } = await db.query<ScheduledCatalog>(
    `WITH former AS (
       SELECT ${COLUMNS} FROM catalog_schedule WHERE id = (SELECT id FROM catalog_schedule ORDER BY id DESC LIMIT 1)
         AND state IN ('scheduled', 'refused') FOR UPDATE
     ), withdrawn AS (
       UPDATE catalog_schedule s SET state = 'withdrawn', ended_at = clock_timestamp() FROM former f WHERE s.id = f.id
     )
     SELECT * FROM former`,
  );
  return rows[0];
}

/** A version that was applied later than this is worth a word: the worker looks every ten seconds. */
export const LATE_SECONDS = 60;

/** The end of a scheduled version whose time has come: the version it was applied as, or why it was refused. */
export interface EndedSchedule {
  version: number | null;
  reason: string | null;
  lateSeconds: number;
}

/**
 * Applies the scheduled version whose time has come, once however many workers try; undefined if none is due. See
 * `catalog_apply_due` in libs/catalog/sql/schedule.sql.
 */
export async function applyDueSchedule(db: Queryable): Promise<EndedSchedule | undefined> {
  const { rows } = await db.query<EndedSchedule>(
    `SELECT applied_version AS version, refused_because AS reason, late_seconds AS "lateSeconds" FROM catalog_apply_due()`,
  );
  return rows[0];
}
