import { isWellFormedApiKey, type KeyHasher } from '@farebox/auth';
import { ApiError } from '@farebox/errors';
import type { NanoUsd } from '@farebox/money';
import type { Pool } from 'pg';
import type { InviteStatus } from './accounts';
import { notingSql, toActorValues, type Actor } from './credential-events';
import type { Queryable } from '@farebox/database';

/** The models that a key may use: only those listed, or all except those listed. */
export interface ModelPolicy {
  mode: 'allow' | 'block';
  models: string[];
}

/** The columns of a key's policy. */
export interface ModelPolicyColumns {
  modelPolicyMode: ModelPolicy['mode'] | null;
  modelPolicyModels: string[];
}

export type ApiKeyStatus = 'active' | 'disabled' | 'expired' | 'revoked';

/** A key as its owner and an operator see it, without its secret. */
export interface ApiKey {
  id: string;
  accountId: string;
  name: string;
  /** The last four characters of its secret. */
  hint: string;
  status: ApiKeyStatus;
  /** Raised by every change that affects admission. */
  version: number;
  createdAt: Date;
  expiresAt: Date | null;
  /** Start of the lifetime that ends at `expiresAt`. */
  lifetimeStartsAt: Date;
  revokedAt: Date | null;
  lastUsedAt: Date | null;
  monthlySpendLimitNano: NanoUsd | null;
  /** Charged in the current UTC calendar month. */
  monthlySpendNano: NanoUsd;
  modelPolicy: ModelPolicy | null;
  /** The only web origins that may use it; null: any program may. */
  allowedOrigins: string[] | null;
  /** Whether holders of the key may see the account's own limits and balance. */
  showsAccountLimits: boolean;
  /** Whether it is the key of the console's playground, of which an account has one. */
  isPlayground: boolean;
}

type ApiKeyRow = Omit<ApiKey, 'modelPolicy'> & ModelPolicyColumns;

/** Settings of a key that its owner may change. */
export interface ApiKeySettings extends Pick<
  ApiKey,
  'name' | 'monthlySpendLimitNano' | 'expiresAt' | 'modelPolicy' | 'allowedOrigins'
> {
  /** Null: shown, unless the key is for web pages. */
  showsAccountLimits: boolean | null;
}

/** As its owner sees it. A key that they have switched off stays so, whether or not it expires meanwhile. */
const STATUS = `
  CASE WHEN k.revoked_at IS NULL AND k.disabled_at IS NOT NULL THEN 'disabled'
       ELSE api_key_status(k.revoked_at, k.expires_at, $2) END`;

/** A key for web pages is visible to everybody who opens one. */
const SHOWS_ACCOUNT_LIMITS = `
  coalesce(k.shows_account_limits, k.allowed_origins IS NULL) AS "showsAccountLimits"`;

// At the time `$2`. A key has at most one row per month, and none newer than its last use.
const RECORD = `
  SELECT k.id, k.account_id AS "accountId", k.name, k.hint, k.version, k.created_at AS "createdAt",
         k.expires_at AS "expiresAt", k.lifetime_starts_at AS "lifetimeStartsAt", k.revoked_at AS "revokedAt",
         ${STATUS} AS status, newest.last_used_at AS "lastUsedAt",
         k.monthly_spend_limit_nano AS "monthlySpendLimitNano",
         CASE WHEN newest.month = date_trunc('month', $2::timestamptz AT TIME ZONE 'UTC')::date
              THEN newest.spent_nano ELSE 0 END AS "monthlySpendNano",
         k.model_policy_mode AS "modelPolicyMode", k.model_policy_models AS "modelPolicyModels",
         k.allowed_origins AS "allowedOrigins", ${SHOWS_ACCOUNT_LIMITS}, k.is_playground AS "isPlayground"
  FROM api_key k
  LEFT JOIN LATERAL (
    SELECT m.month, m.spent_nano, m.last_used_at FROM api_key_month m
    WHERE m.api_key_id = k.id ORDER BY m.month DESC LIMIT 1
  ) newest ON true
  WHERE k.account_id = $1`;

const isOf = (status: ApiKeyStatus): string => `AND ${STATUS} = '${status}'`;

/**
 * Revoked keys stay on record in any number. The others have an index of their own. Revoked ones are scanned
 * from the newest key, since the planner cannot look into the function and would sort them all.
 */
const STATUS_CONDITIONS: Record<ApiKeyStatus, string> = {
  active: `AND k.revoked_at IS NULL ${isOf('active')}`,
  disabled: `AND k.revoked_at IS NULL ${isOf('disabled')}`,
  expired: `AND k.revoked_at IS NULL ${isOf('expired')}`,
  revoked: 'AND k.revoked_at IS NOT NULL',
};

/** One key of an account. Throws `api_key_not_found`, also for a key of another account. */
export async function findApiKey(
  accountId: string,
  db: Queryable,
  apiKeyId: string,
  now: Date,
): Promise<ApiKey> {
  const { rows } = await db.query<ApiKeyRow>(`${RECORD} AND k.id = $3`, [accountId, now, apiKeyId]);
  const [row] = rows;
  if (!row) throw apiKeyNotFound();
  return toApiKey(row);
}

/**
 * The account's keys, newest first: at most `count`, starting after the key `afterId`, of one status or of
 * any. `search` is a part of their names, in any case, or the last four characters of their secrets. The
 * playground's key is among them only if `withPlayground`.
 */
export async function listApiKeys(
  accountId: string,
  db: Queryable,
  {
    afterId,
    count,
    status,
    search,
    withPlayground,
  }: {
    afterId: string | undefined;
    count: number;
    status?: ApiKeyStatus | undefined;
    search?: string | undefined;
    withPlayground: boolean;
  },
  now: Date,
): Promise<ApiKey[]> {
  const { rows } = await db.query<ApiKeyRow>(
    `${RECORD} AND ($3::uuid IS NULL OR k.id < $3) ${status === undefined ? '' : STATUS_CONDITIONS[status]}
     ${withPlayground ? '' : 'AND NOT k.is_playground'} ${search === undefined ? '' : 'AND (k.name ILIKE $5 OR k.hint = $6)'}
     ORDER BY k.id DESC LIMIT $4`,
    [
      ...[accountId, now, afterId, count],
      ...(search === undefined ? [] : [`%${search.replaceAll(/[\\%_]/g, '\\$&')}%`, search]),
    ],
  );
  return rows.map(toApiKey);
}

/** The active keys of an account that it lists, and how many of them their own lists of models allow to use each. */
export interface KeysOfModels {
  active: number;
  allowedFor: (modelId: string) => number;
}

export async function countKeysOfModels(accountId: string, db: Queryable, now: Date): Promise<KeysOfModels> {
  const { rows } = await db.query<{ mode: ModelPolicy['mode'] | null; model: string | null; keys: number }>({
    name: 'count_keys_of_models',
    text: `WITH live AS (
             SELECT k.id, k.model_policy_mode AS mode, k.model_policy_models AS models FROM api_key k
             WHERE k.account_id = $1 AND NOT k.is_playground ${STATUS_CONDITIONS.active}
           )
           SELECT mode, NULL AS model, count(*)::int AS keys FROM live GROUP BY mode
           UNION ALL
           SELECT mode, model, count(DISTINCT id)::int FROM live CROSS JOIN unnest(models) AS model GROUP BY mode, model`,
    values: [accountId, now],
  });
  const countOf = (mode: ModelPolicy['mode'] | null, model: string | null = null): number =>
    keysOf.get(`${mode ?? ''} ${model ?? ''}`) ?? 0;
  const keysOf = new Map(rows.map(({ mode, model, keys }) => [`${mode ?? ''} ${model ?? ''}`, keys]));
  const [free, blocking] = [countOf(null), countOf('block')];
  return {
    active: free + blocking + countOf('allow'),
    allowedFor: (modelId) => free + blocking - countOf('block', modelId) + countOf('allow', modelId),
  };
}

export type NamedApiKey = Pick<ApiKey, 'id' | 'name' | 'hint' | 'status'>;

/** The keys among these that belong to the account, including revoked ones, in no particular order. */
export async function findApiKeysById(
  accountId: string,
  db: Queryable,
  apiKeyIds: readonly string[],
  now: Date,
): Promise<NamedApiKey[]> {
  const { rows } = await db.query<NamedApiKey>({
    // A prepared statement: planning takes longer than running it.
    name: 'find_api_keys_by_id',
    text: `SELECT id, name, hint, ${STATUS} AS status
           FROM api_key k WHERE account_id = $1 AND id = ANY ($3::uuid[])`,
    values: [accountId, now, apiKeyIds],
  });
  return rows;
}

/** Whether a key belongs to the account, even if revoked. */
export async function ownsApiKey(accountId: string, db: Queryable, apiKeyId: string): Promise<boolean> {
  const { rowCount } = await db.query('SELECT FROM api_key WHERE account_id = $1 AND id = $2', [
    accountId,
    apiKeyId,
  ]);
  return rowCount === 1;
}

/** Counts the account's unrevoked keys. */
export async function countLiveApiKeys(accountId: string, db: Queryable): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM api_key
     WHERE account_id = $1 AND api_key_status(revoked_at, expires_at, now()) <> 'revoked'`,
    [accountId],
  );
  return rows[0]?.count ?? 0;
}

/** The account of a key; `undefined` if there is no such key. */
export async function findOwnerOfApiKey(db: Queryable, apiKeyId: string): Promise<string | undefined> {
  const { rows } = await db.query<{ accountId: string }>(
    'SELECT account_id AS "accountId" FROM api_key WHERE id = $1',
    [apiKeyId],
  );
  return rows[0]?.accountId;
}

/** The names of keys of any account, and the e-mail addresses of their owners, by their ids. */
export async function findKeyOwners(
  db: Queryable,
  apiKeyIds: readonly string[],
): Promise<Map<string, { name: string; email: string }>> {
  const { rows } = await db.query<{ id: string; name: string; email: string }>(
    'SELECT k.id, k.name, a.email FROM api_key k JOIN account a ON a.id = k.account_id WHERE k.id = ANY ($1::uuid[])',
    [apiKeyIds],
  );
  return new Map(rows.map(({ id, ...owner }) => [id, owner]));
}

/**
 * Revokes a key for good: once this is committed, no request with it is admitted. An already revoked key
 * stays as it is. Returns whether this call revoked it; `undefined` if the account has no such key.
 */
export async function revokeApiKey(
  accountId: string,
  db: Queryable,
  apiKeyId: string,
  actor: Actor,
): Promise<{ isNew: boolean } | undefined> {
  const { rows } = await db.query<{ isNew: boolean }>(
    `WITH ended AS (
       UPDATE api_key SET revoked_at = now(), version = version + 1
       WHERE account_id = $1 AND id = $2 AND revoked_at IS NULL RETURNING id
     ), noted AS (${notingSql('api_key', 'revoke', { done: 'ended', at: 3 })})
     SELECT EXISTS (SELECT FROM ended) AS "isNew" FROM api_key WHERE account_id = $1 AND id = $2`,
    [accountId, apiKeyId, ...toActorValues(actor)],
  );
  return rows[0];
}

/** The same error for a missing key, another account's key, and a malformed id. */
export function apiKeyNotFound(): ApiError {
  return new ApiError('api_key_not_found', { param: 'key_public_id' });
}

function toApiKey({ modelPolicyMode, modelPolicyModels, ...row }: ApiKeyRow): ApiKey {
  return { ...row, modelPolicy: toModelPolicy({ modelPolicyMode, modelPolicyModels }) };
}

export function toModelPolicy(columns: ModelPolicyColumns): ModelPolicy | null {
  const { modelPolicyMode: mode, modelPolicyModels: models } = columns;
  return mode === null ? null : { mode, models };
}

export function fromModelPolicy(policy: ModelPolicy | null): ModelPolicyColumns {
  return { modelPolicyMode: policy?.mode ?? null, modelPolicyModels: policy?.models ?? [] };
}

/**
 * The key of a secret, by the database's clock at the time of the look-up. It may be cached for speed; a copy
 * with an older version is out of date, and admission always reads the row itself.
 */
export interface ApiKeyIdentity extends Pick<
  ApiKey,
  'accountId' | 'version' | 'expiresAt' | 'modelPolicy' | 'allowedOrigins' | 'showsAccountLimits'
> {
  /** `revoked` also while its owner has switched it off: its holder learns no more. */
  status: Exclude<ApiKeyStatus, 'disabled'>;
  apiKeyId: string;
  inviteStatus: InviteStatus;
  cohortName: string;
}

type IdentityRow = Omit<ApiKeyIdentity, 'modelPolicy'> & ModelPolicyColumns & { secretHmac: Buffer };

const IDENTIFY = `
  SELECT k.secret_hmac AS "secretHmac", k.id AS "apiKeyId", k.account_id AS "accountId", k.version,
         api_key_status(coalesce(k.revoked_at, k.disabled_at), k.expires_at, now()) AS status, k.expires_at AS "expiresAt",
         a.invite_status AS "inviteStatus", a.cohort_name AS "cohortName",
         k.model_policy_mode AS "modelPolicyMode", k.model_policy_models AS "modelPolicyModels",
         k.allowed_origins AS "allowedOrigins", ${SHOWS_ACCOUNT_LIMITS}
  FROM api_key k JOIN account a ON a.id = k.account_id
  WHERE k.secret_hmac = ANY ($1::bytea[])`;

/**
 * The keys of these secrets, in the same order, including revoked and expired ones; `undefined` for an
 * unknown secret, such as one replaced by rotation. One query for all; malformed texts are not sent to the
 * database.
 */
export async function identifyApiKeys(
  pool: Pool,
  hasher: KeyHasher,
  secrets: readonly string[],
): Promise<(ApiKeyIdentity | undefined)[]> {
  const candidates = secrets.map((secret) => (isWellFormedApiKey(secret) ? hasher.candidates(secret) : []));
  const hmacs = candidates.flat();
  if (hmacs.length === 0) return secrets.map(() => undefined);
  const { rows } = await pool.query<IdentityRow>({
    name: 'auth_find_api_keys',
    text: IDENTIFY,
    values: [hmacs],
  });
  const found = new Map(rows.map((row) => [row.secretHmac.toString('latin1'), row]));
  return candidates.map((ofOne) => {
    for (const hmac of ofOne) {
      const row = found.get(hmac.toString('latin1'));
      if (row) return toIdentity(row);
    }
    return undefined;
  });
}

/** `identifyApiKeys` for one secret. */
export async function identifyApiKey(
  pool: Pool,
  hasher: KeyHasher,
  secret: string,
): Promise<ApiKeyIdentity | undefined> {
  const [found] = await identifyApiKeys(pool, hasher, [secret]);
  return found;
}

function toIdentity(row: IdentityRow): ApiKeyIdentity {
  const { apiKeyId, accountId, version, status, expiresAt, inviteStatus, cohortName } = row;
  const { allowedOrigins, showsAccountLimits } = row;
  const modelPolicy = toModelPolicy(row);
  return {
    apiKeyId,
    accountId,
    version,
    status,
    expiresAt,
    inviteStatus,
    cohortName,
    modelPolicy,
    allowedOrigins,
    showsAccountLimits,
  };
}
