import { createApiKeySecret, hintOf, type HashedSecret, type KeyHasher } from '@farebox/auth';
import type { Prisma } from '@farebox/database';
import { ApiError } from '@farebox/errors';
import { uuidV7 } from '@farebox/ids';
import { toNanoUsd, ZERO_NANO, type NanoUsd } from '@farebox/money';
import type { Accounts, Note, Queryable } from './open-accounts';

/** Which models a key may use: only those of the list, or all but those of the list. */
export interface ModelPolicy {
  mode: 'allow' | 'block';
  models: string[];
}

/** The columns of a key's policy. */
export interface ModelPolicyColumns {
  modelPolicyMode: ModelPolicy['mode'] | null;
  modelPolicyModels: string[];
}

export type ApiKeyStatus = 'active' | 'expired' | 'revoked';

/** A key as its owner and an operator see it: never its secret. */
export interface ApiKey {
  id: string;
  accountId: string;
  name: string;
  /** The last four characters of its secret. */
  hint: string;
  status: ApiKeyStatus;
  /** Raised by every change that an admission must see. */
  version: number;
  createdAt: Date;
  expiresAt: Date | null;
  /** From when `expiresAt` was counted. */
  lifetimeStartsAt: Date;
  revokedAt: Date | null;
  lastUsedAt: Date | null;
  monthlySpendLimitNano: NanoUsd | null;
  /** Charged in the current UTC calendar month. */
  monthlySpendNano: NanoUsd;
  modelPolicy: ModelPolicy | null;
}

/** What the owner of a key decides about it. */
export type ApiKeySettings = Pick<ApiKey, 'name' | 'monthlySpendLimitNano' | 'expiresAt' | 'modelPolicy'>;

/** What a key is at a time: for its owner, for an operator and for a gateway. */
export function apiKeyStatus(
  { revokedAt, expiresAt }: Pick<ApiKey, 'revokedAt' | 'expiresAt'>,
  now: Date,
): ApiKeyStatus {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt.getTime() <= now.getTime() ? 'expired' : 'active';
}

/** A key has at most one row a month, and none that is newer than its last use. */
const withNewestMonth = { months: { orderBy: { month: 'desc' }, take: 1 } } as const;
type ApiKeyRow = Prisma.ApiKeyGetPayload<{ include: typeof withNewestMonth }>;

/** One key of an account. Throws `api_key_not_found`, for a key of another account too. */
export async function findApiKey(
  accountId: string,
  { prisma }: Accounts,
  apiKeyId: string,
  now: Date,
): Promise<ApiKey> {
  const row = await prisma.apiKey.findFirst({
    where: { accountId, id: apiKeyId },
    include: withNewestMonth,
  });
  if (!row) throw apiKeyNotFound();
  return toApiKey(row, now);
}

/** The account's keys, newest first, revoked ones too: at most `count`, those after the key `afterId`. */
export async function listApiKeys(
  accountId: string,
  { prisma }: Accounts,
  { afterId, count }: { afterId: string | undefined; count: number },
  now: Date,
): Promise<ApiKey[]> {
  const rows = await prisma.apiKey.findMany({
    where: { accountId, ...(afterId === undefined ? {} : { id: { lt: afterId } }) },
    orderBy: { id: 'desc' },
    take: count,
    include: withNewestMonth,
  });
  return rows.map((row) => toApiKey(row, now));
}

/** Those of these keys that are the account's, revoked ones too, in no order. */
export async function findApiKeysById(
  accountId: string,
  { prisma }: Accounts,
  apiKeyIds: readonly string[],
  now: Date,
): Promise<Pick<ApiKey, 'id' | 'name' | 'status'>[]> {
  const rows = await prisma.apiKey.findMany({
    where: { accountId, id: { in: [...apiKeyIds] } },
    select: { id: true, name: true, expiresAt: true, revokedAt: true },
  });
  return rows.map((row) => ({ id: row.id, name: row.name, status: apiKeyStatus(row, now) }));
}

/** Whether a key is the account's, be it revoked. */
export async function ownsApiKey(
  accountId: string,
  { prisma }: Accounts,
  apiKeyId: string,
): Promise<boolean> {
  return (await prisma.apiKey.count({ where: { accountId, id: apiKeyId } })) === 1;
}

/** The account's keys that are not revoked. */
export function countLiveApiKeys(accountId: string, { prisma }: Accounts): Promise<number> {
  return prisma.apiKey.count({ where: { accountId, revokedAt: null } });
}

/** The account of a key; `undefined` if there is no such key. */
export async function findOwnerOfApiKey(db: Queryable, apiKeyId: string): Promise<string | undefined> {
  const { rows } = await db.query<{ accountId: string }>(
    'SELECT account_id AS "accountId" FROM api_key WHERE id = $1',
    [apiKeyId],
  );
  return rows[0]?.accountId;
}

/** Creates a key of an account, whatever it has already. The secret is returned here and nowhere else. */
export async function issueApiKey(
  accountId: string,
  db: Queryable,
  hasher: KeyHasher,
  settings: ApiKeySettings,
  now?: Date,
): Promise<{ secret: string; apiKeyId: string }> {
  const secret = createApiKeySecret();
  const { hmac, pepperVersion, hint } = secretColumns(secret, hasher.hash(secret));
  const { modelPolicyMode, modelPolicyModels } = fromModelPolicy(settings.modelPolicy);
  const apiKeyId = uuidV7();
  await db.query(
    `INSERT INTO api_key (id, account_id, name, secret_hmac, pepper_version, hint, secret_issued_at,
       monthly_spend_limit_nano, expires_at, lifetime_starts_at, model_policy_mode, model_policy_models, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, coalesce($11, now()),
       $7, $8, coalesce($11, now()), $9::model_policy_mode, $10, coalesce($11, now()))`,
    [
      ...[apiKeyId, accountId, settings.name, hmac, pepperVersion, hint],
      ...[
        settings.monthlySpendLimitNano,
        settings.expiresAt,
        modelPolicyMode,
        modelPolicyModels,
        now ?? null,
      ],
    ],
  );
  return { secret, apiKeyId };
}

/** What is stored of a secret, and changes with it. */
export function secretColumns(secret: string, { hmac, pepperVersion }: HashedSecret) {
  return { hmac, pepperVersion, hint: hintOf(secret) };
}

/**
 * Ends a key for good: once this is committed, no request with it is admitted. A key that is revoked already stays as it
 * is. Answers whether this call did it; `undefined` if the account has no such key.
 */
export async function revokeApiKey(
  accountId: string,
  accounts: Accounts,
  apiKeyId: string,
  note?: Note,
): Promise<{ isNew: boolean } | undefined> {
  const { rows } = await accounts.query<{ isNew: boolean }>(
    `WITH ended AS (
       UPDATE api_key SET revoked_at = now(), version = version + 1
       WHERE account_id = $1 AND id = $2 AND revoked_at IS NULL RETURNING id
     )
     SELECT EXISTS (SELECT FROM ended) AS "isNew" FROM api_key WHERE account_id = $1 AND id = $2`,
    [accountId, apiKeyId],
  );
  if (rows[0]?.isNew) await note?.(accountId);
  return rows[0];
}

/** A missing key, one of another account and an id that is none answer the same. */
export function apiKeyNotFound(): ApiError {
  return new ApiError('api_key_not_found', { param: 'key_public_id' });
}

function toApiKey(row: ApiKeyRow, now: Date): ApiKey {
  const { id, accountId, name, hint, version, createdAt, expiresAt, lifetimeStartsAt, revokedAt } = row;
  const [newest] = row.months;
  const isCurrent = newest?.month.getTime() === Date.UTC(now.getUTCFullYear(), now.getUTCMonth());
  return {
    ...{ id, accountId, name, hint, version, createdAt, expiresAt, lifetimeStartsAt, revokedAt },
    status: apiKeyStatus(row, now),
    lastUsedAt: newest?.lastUsedAt ?? null,
    monthlySpendLimitNano: row.monthlySpendLimitNano === null ? null : toNanoUsd(row.monthlySpendLimitNano),
    monthlySpendNano: newest && isCurrent ? toNanoUsd(newest.spentNano) : ZERO_NANO,
    modelPolicy: toModelPolicy(row),
  };
}

export function toModelPolicy(columns: ModelPolicyColumns): ModelPolicy | null {
  const { modelPolicyMode: mode, modelPolicyModels: models } = columns;
  return mode === null ? null : { mode, models };
}

export function fromModelPolicy(policy: ModelPolicy | null): ModelPolicyColumns {
  return { modelPolicyMode: policy?.mode ?? null, modelPolicyModels: policy?.models ?? [] };
}
