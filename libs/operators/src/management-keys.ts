import { createOperatorToken, hashToken, hintOf, isWellFormedOperatorToken, uuidV7 } from '@farebox/auth';
import type { Queryable } from '@farebox/database';
import type { OperatorRole } from './roles';

/** A key of the operator's API, for programs. */
export interface ManagementKey {
  id: string;
  name: string;
  /** The last four characters of its secret. */
  hint: string;
  role: OperatorRole;
  /** Verbs (`account show`) or groups of them (`report`); null: all that the role may use. */
  scopes: readonly string[] | null;
  /** The operator who created it. */
  createdBy: string;
  createdAt: Date;
  expiresAt: Date;
  revokedAt: Date | null;
}

const COLUMNS = `id, name, hint, role, scopes, created_by AS "createdBy", created_at AS "createdAt",
  expires_at AS "expiresAt", revoked_at AS "revokedAt"`;

export type NewManagementKey = Pick<ManagementKey, 'name' | 'role' | 'scopes' | 'createdBy' | 'expiresAt'>;

/** Creates a key. Its secret, `mk-…`, is returned only here. */
export async function createManagementKey(
  db: Queryable,
  { name, role, scopes, createdBy, expiresAt }: NewManagementKey,
): Promise<{ key: ManagementKey; secret: string }> {
  const secret = createOperatorToken('key');
  const { rows } = await db.query<ManagementKey>(
    `INSERT INTO management_key (id, name, hint, secret_sha256, role, scopes, created_by, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING ${COLUMNS}`,
    [uuidV7(), name, hintOf(secret), hashToken(secret), role, scopes, createdBy, expiresAt],
  );
  const [key] = rows;
  if (!key) throw new Error('the management key was not stored');
  return { key, secret };
}

/** Newest first, with those that were revoked or have expired. */
export async function listManagementKeys(
  db: Queryable,
  { limit, afterId = null }: { limit: number; afterId?: string | null | undefined },
): Promise<ManagementKey[]> {
  const { rows } = await db.query<ManagementKey>(
    `SELECT ${COLUMNS} FROM management_key WHERE $2::uuid IS NULL OR id < $2 ORDER BY id DESC LIMIT $1`,
    [limit, afterId],
  );
  return rows;
}

/** Returns the key, and whether it was live until now; undefined if there is none. */
export async function revokeManagementKey(
  db: Queryable,
  id: string,
): Promise<{ key: ManagementKey; wasLive: boolean } | undefined> {
  const { rows } = await db.query<ManagementKey & { wasLive: boolean }>(
    `WITH former AS (SELECT id, revoked_at IS NULL AS was_live FROM management_key WHERE id = $1 FOR UPDATE)
     UPDATE management_key k SET revoked_at = coalesce(k.revoked_at, now())
     FROM former WHERE k.id = former.id
     RETURNING k.id, k.name, k.hint, k.role, k.scopes, k.created_by AS "createdBy", k.created_at AS "createdAt",
               k.expires_at AS "expiresAt", k.revoked_at AS "revokedAt", former.was_live AS "wasLive"`,
    [id],
  );
  const [row] = rows;
  if (!row) return undefined;
  const { wasLive, ...key } = row;
  return { key, wasLive };
}

/** The live key of a secret. A malformed secret costs no look-up. */
export async function findManagementKey(db: Queryable, secret: string): Promise<ManagementKey | undefined> {
  if (!isWellFormedOperatorToken('key', secret)) return undefined;
  const { rows } = await db.query<ManagementKey>(
    `SELECT ${COLUMNS} FROM management_key
     WHERE secret_sha256 = $1 AND revoked_at IS NULL AND expires_at > now()`,
    [hashToken(secret)],
  );
  return rows[0];
}
