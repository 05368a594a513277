import { uuidV7 } from '@farebox/auth';
import type { Queryable } from '@farebox/database';
import type { LimitMeasure, LimitWindow } from './limit-states';

/** The scope of a limit policy: one of the first three at most, and a model too or instead. */
export interface LimitTarget {
  cohortName?: string | undefined;
  accountId?: string | undefined;
  apiKeyId?: string | undefined;
  modelId?: string | undefined;
}

export interface LimitPolicy extends LimitTarget {
  id: string;
  measure: LimitMeasure;
  /** Undefined for concurrency. */
  per: LimitWindow | undefined;
  /** In nano-dollars for `spend`. */
  most: bigint;
}

interface PolicyRow {
  id: string;
  measure: LimitMeasure;
  per: LimitWindow | null;
  most: string;
  cohort_name: string | null;
  account_id: string | null;
  api_key_id: string | null;
  model_id: string | null;
}

const COLUMNS = 'id, measure, per, most, cohort_name, account_id, api_key_id, model_id';

/**
 * Sets a limit, which applies from the next request on; there is one for each measure and window of a target. Returns
 * it with the former one's most, if there was one. The target must exist.
 */
export async function setLimitPolicy(
  db: Queryable,
  policy: Omit<LimitPolicy, 'id'>,
): Promise<{ policy: LimitPolicy; before: bigint | undefined }> {
  const { cohortName, accountId, apiKeyId, modelId, measure, per, most } = policy;
  const of = [accountId ?? null, apiKeyId ?? null, cohortName ?? null, modelId ?? null, measure, per ?? null];
  const { rows: former } = await db.query<{ most: string }>(
    `SELECT most FROM limit_policy
     WHERE (account_id, api_key_id, cohort_name, model_id, measure, per)
           IS NOT DISTINCT FROM ($1::uuid, $2::uuid, $3::text, $4::text, $5::limit_measure, $6::limit_window)
     FOR NO KEY UPDATE`,
    of,
  );
  const { rows } = await db.query<PolicyRow>(
    `INSERT INTO limit_policy (id, account_id, api_key_id, cohort_name, model_id, measure, per, most)
     VALUES ($7, $1, $2, $3, $4, $5, $6, $8)
     ON CONFLICT (account_id, api_key_id, cohort_name, model_id, measure, per) DO UPDATE SET most = excluded.most
     RETURNING ${COLUMNS}`,
    [...of, uuidV7(), String(most)],
  );
  const [row] = rows;
  if (!row) throw new Error('the limit was not written');
  const [{ most: before } = { most: undefined }] = former;
  return { policy: toPolicy(row), before: before === undefined ? undefined : BigInt(before) };
}

/** Removes a limit, and returns it; undefined if there is none. */
export async function removeLimitPolicy(db: Queryable, id: string): Promise<LimitPolicy | undefined> {
  const { rows } = await db.query<PolicyRow>(`DELETE FROM limit_policy WHERE id = $1 RETURNING ${COLUMNS}`, [
    id,
  ]);
  return rows[0] && toPolicy(rows[0]);
}

/** The limits with everything of the target that is given, in the order in which they were first set. */
export async function listLimitPolicies(
  db: Queryable,
  { cohortName, accountId, apiKeyId, modelId }: LimitTarget,
): Promise<LimitPolicy[]> {
  const { rows } = await db.query<PolicyRow>(
    `SELECT ${COLUMNS} FROM limit_policy
     WHERE ($1::text IS NULL OR cohort_name = $1) AND ($2::uuid IS NULL OR account_id = $2)
       AND ($3::uuid IS NULL OR api_key_id = $3) AND ($4::text IS NULL OR model_id = $4)
     ORDER BY id`,
    [cohortName, accountId, apiKeyId, modelId],
  );
  return rows.map(toPolicy);
}

function toPolicy(row: PolicyRow): LimitPolicy {
  return {
    id: row.id,
    measure: row.measure,
    per: row.per ?? undefined,
    most: BigInt(row.most),
    cohortName: row.cohort_name ?? undefined,
    accountId: row.account_id ?? undefined,
    apiKeyId: row.api_key_id ?? undefined,
    modelId: row.model_id ?? undefined,
  };
}

/** A limit that applies to an account or to one of its keys, with what is used of it now. */
export interface AccountLimit {
  measure: LimitMeasure;
  /** Undefined for concurrency. */
  per: LimitWindow | undefined;
  /** The key that it counts; undefined for all requests of the account. */
  apiKeyId: string | undefined;
  keyName: string | undefined;
  modelId: string | undefined;
  /** Nano-dollars for `spend`. */
  most: bigint;
  /** Running requests count with the most that they can use. */
  used: bigint;
  /** The end of the window; undefined for concurrency. */
  endsAt: Date | undefined;
}

/** The limits that operators have set for an account and its live keys, in the order in which they were first set. */
export async function readAccountLimits(db: Queryable, accountId: string): Promise<AccountLimit[]> {
  const { rows } = await db.query<{
    measure: LimitMeasure;
    per: LimitWindow | null;
    api_key_id: string | null;
    key_name: string | null;
    model_id: string | null;
    most: string;
    used: string;
    ends_at: Date | null;
  }>({
    name: 'ledger_limits_of_account',
    text: `SELECT l.measure, l.per, l.api_key_id, k.name AS key_name, l.model_id, l.most, l.used, l.ends_at
           FROM ledger_limits_of_account($1) l LEFT JOIN api_key k ON k.id = l.api_key_id
           ORDER BY l.id`,
    values: [accountId],
  });
  return rows.map((row) => ({
    measure: row.measure,
    per: row.per ?? undefined,
    apiKeyId: row.api_key_id ?? undefined,
    keyName: row.key_name ?? undefined,
    modelId: row.model_id ?? undefined,
    most: BigInt(row.most),
    used: BigInt(row.used),
    endsAt: row.ends_at ?? undefined,
  }));
}
