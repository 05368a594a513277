import { uuidV7 } from '@farebox/auth';
import { isSentJobName, JOBS, type JobDefinition, type JobPayload, type SentJobName } from '@farebox/jobs';
import type { Pool } from 'pg';
import { z } from 'zod';

/** A client in a transaction, as a rule: what is posted happens if that commits, and not otherwise. */
export type Queryable = Pick<Pool, 'query'>;

/**
 * Posts a job in the caller's transaction. A worker hands it to the job queue once that has committed, at least once and
 * under the same id each time. Needs the rights of the database's owner: a service has a function for what it may post.
 */
export async function postToOutbox<Name extends SentJobName>(
  client: Queryable,
  job: Name,
  payload: JobPayload<Name>,
  id: string = uuidV7(),
): Promise<void> {
  const definition: JobDefinition = JOBS[job];
  const written = JSON.stringify(z.encode(definition.payload, payload));
  await client.query('INSERT INTO outbox (id, job, payload) VALUES ($1, $2, $3::jsonb)', [id, job, written]);
}

/** A job on its way to the queue. */
export interface PostedJob<Name extends SentJobName = SentJobName> {
  /** Becomes the id of the job. */
  id: string;
  job: Name;
  /** As a handler of the job gets it. */
  payload: JobPayload<Name>;
}

interface TakenFromOutbox {
  jobs: PostedJob[];
  /** Of rows that this version cannot read: a newer one wrote them. The caller rolls back and passes them over. */
  unreadableIds: string[];
}

const KNOWN_JOBS = Object.keys(JOBS).filter(isSentJobName);

interface OutboxRow {
  id: string;
  job: string;
  payload: unknown;
}

/**
 * Takes the oldest rows out, of jobs that this version knows, in the caller's transaction: they are there again if it
 * rolls back, and nobody else has them meanwhile.
 */
export async function takeFromOutbox(
  client: Queryable,
  { limit, passOverIds = [] }: { limit: number; passOverIds?: readonly string[] },
): Promise<TakenFromOutbox> {
  const { rows } = await client.query<OutboxRow>('SELECT id, job, payload FROM outbox_take($1, $2, $3)', [
    KNOWN_JOBS,
    passOverIds,
    limit,
  ]);
  const read = rows.map((row) => ({ id: row.id, posted: readRow(row) }));
  return {
    jobs: read.flatMap(({ posted }) => posted ?? []),
    unreadableIds: read.filter(({ posted }) => posted === undefined).map(({ id }) => id),
  };
}

function readRow({ id, job, payload }: OutboxRow): PostedJob | undefined {
  if (!isSentJobName(job)) return undefined;
  const definition: JobDefinition = JOBS[job];
  const result = definition.payload.safeParse(payload);
  return result.success ? { id, job, payload: result.data as JobPayload<SentJobName> } : undefined;
}

/** What was committed and is not yet in its queue. */
export interface OutboxBacklog {
  rows: number;
  /** Age of the oldest row, 0 if there is none. */
  oldestSeconds: number;
}

export async function readOutboxBacklog(pool: Pick<Pool, 'query'>): Promise<OutboxBacklog> {
  const { rows } = await pool.query<OutboxBacklog>(
    `SELECT count(*)::int AS rows,
            coalesce(extract(epoch FROM clock_timestamp() - min(created_at)), 0)::float8 AS "oldestSeconds"
     FROM outbox`,
  );
  return rows[0] ?? { rows: 0, oldestSeconds: 0 };
}
