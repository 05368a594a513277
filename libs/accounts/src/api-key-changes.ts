import { createApiKeySecret, hintOf, uuidV7, type KeyHasher } from '@farebox/auth';
import { ApiError } from '@farebox/errors';
import { SECOND_MS } from '@farebox/flow';
import type { NanoUsd } from '@farebox/money';
import {
  countLiveApiKeys,
  findApiKey,
  fromModelPolicy,
  type ApiKey,
  type ApiKeySettings,
  type ModelPolicy,
  type ModelPolicyColumns,
} from './api-keys';
import { type Actor, notingSql, requireChangePace, requirePace, toActorValues } from './credential-events';
import type { Queryable } from '@farebox/database';
import type { Accounts } from './open-accounts';

/** Limit of unrevoked keys per account. It bounds a runaway script and may be exceeded by a few keys. */
const MOST_LIVE_KEYS = 1_000;
/**
 * Also against runaway scripts, and far above the need of an honest one that creates a key per run: revoked
 * keys stay on record.
 */
const MOST_NEW_KEYS_A_DAY = 10_000;

/** Throws if a policy adds models that the account may not use; those already in it may stay. */
export type RequireOffered = (
  accountId: string,
  policy: ModelPolicy | null | undefined,
  listedBefore: readonly string[],
) => Promise<void>;

/**
 * Creates a key at its owner's request and returns its secret, once. Throws `invalid_request_error` and
 * `rate_limit_error`.
 */
export async function createApiKey(
  accountId: string,
  accounts: Accounts,
  { hasher, requireOffered }: { hasher: KeyHasher; requireOffered: RequireOffered },
  settings: ApiKeySettings,
  { actor, now }: { actor: Actor; now: Date },
): Promise<{ secret: string; apiKey: ApiKey }> {
  requireFuture(settings.expiresAt, now);
  await requireOffered(accountId, settings.modelPolicy, []);
  await requireRoomForKey(accountId, accounts, now);
  const { secret, apiKeyId } = await issueApiKey(accountId, accounts, hasher, settings, { actor, now });
  return { secret, apiKey: await findApiKey(accountId, accounts, apiKeyId, now) };
}

async function requireRoomForKey(accountId: string, accounts: Accounts, now: Date): Promise<void> {
  if ((await countLiveApiKeys(accountId, accounts)) >= MOST_LIVE_KEYS) {
    throw new ApiError('invalid_request_error', {
      message: `The account has ${String(MOST_LIVE_KEYS)} API keys, which is the limit. Revoke one that is not used.`,
    });
  }
  const { rows } = await accounts.query<{ createdAt: Date }>(
    'SELECT created_at AS "createdAt" FROM api_key WHERE account_id = $1 ORDER BY id DESC OFFSET $2 LIMIT 1',
    [accountId, MOST_NEW_KEYS_A_DAY - 1],
  );
  requirePace(rows[0]?.createdAt, now, { mostADay: MOST_NEW_KEYS_A_DAY, plural: 'API keys' });
}

/** Creates a key of an account, however many it has. The secret is returned only here. */
export async function issueApiKey(
  accountId: string,
  db: Queryable,
  hasher: KeyHasher,
  settings: ApiKeySettings,
  { actor, now }: { actor: Actor; now?: Date },
): Promise<{ secret: string; apiKeyId: string }> {
  const { secret, secretHmac, pepperVersion, hint } = createSecret(hasher);
  const { modelPolicyMode, modelPolicyModels } = fromModelPolicy(settings.modelPolicy);
  const apiKeyId = uuidV7();
  await db.query(
    `WITH created AS (
       INSERT INTO api_key (account_id, id, name, secret_hmac, pepper_version, hint, secret_issued_at,
         monthly_spend_limit_nano, expires_at, lifetime_starts_at, model_policy_mode, model_policy_models, created_at, allowed_origins,
         shows_account_limits)
       VALUES ($1, $2, $3, $4, $5, $6, coalesce($11, now()),
         $7, $8, coalesce($11, now()), $9::model_policy_mode, $10, coalesce($11, now()), $12, $13)
       RETURNING id
     ) ${notingSql('api_key', 'create', { done: 'created', at: 14 })}`,
    [
      ...[accountId, apiKeyId, settings.name, secretHmac, pepperVersion, hint],
      ...[settings.monthlySpendLimitNano, settings.expiresAt, modelPolicyMode, modelPolicyModels],
      ...[now ?? null, settings.allowedOrigins, settings.showsAccountLimits, ...toActorValues(actor)],
    ],
  );
  return { secret, apiKeyId };
}

/** A secret and its stored form. */
export function createSecret(hasher: KeyHasher) {
  const secret = createApiKeySecret();
  const { hmac, pepperVersion } = hasher.hash(secret);
  return { secret, secretHmac: hmac, pepperVersion, hint: hintOf(secret) };
}

/** Settings of a key. `undefined` leaves a setting as it is, `null` clears it. */
type ApiKeyUpdate = { [Name in keyof ApiKeySettings]: ApiKeySettings[Name] | undefined } & {
  /** Whether the key is switched off, which its owner may undo. */
  isDisabled?: boolean | undefined;
};

/** The columns of a key that may change. Its id, its account and its history never do. */
interface ApiKeyChange extends Partial<ModelPolicyColumns> {
  name?: string;
  monthlySpendLimitNano?: NanoUsd | null;
  expiresAt?: Date | null;
  lifetimeStartsAt?: Date;
  allowedOrigins?: string[] | null;
  disabledAt?: Date | null;
  showsAccountLimits?: boolean | null;
  secretHmac?: Buffer;
  pepperVersion?: number;
  hint?: string;
  secretIssuedAt?: Date;
}

const COLUMNS: Record<keyof ApiKeyChange, string> = {
  name: 'name',
  monthlySpendLimitNano: 'monthly_spend_limit_nano',
  expiresAt: 'expires_at',
  lifetimeStartsAt: 'lifetime_starts_at',
  modelPolicyMode: 'model_policy_mode',
  modelPolicyModels: 'model_policy_models',
  allowedOrigins: 'allowed_origins',
  disabledAt: 'disabled_at',
  showsAccountLimits: 'shows_account_limits',
  secretHmac: 'secret_hmac',
  pepperVersion: 'pepper_version',
  hint: 'hint',
  secretIssuedAt: 'secret_issued_at',
};

/**
 * Changes settings of an unrevoked key; an expired key becomes active again if its expiry is moved or
 * cleared. Throws `api_key_not_found`, `api_key_revoked`, and `invalid_request_error` for an expiry in the
 * past or a model that the account may not use.
 */
export function updateApiKey(
  accountId: string,
  accounts: Accounts,
  { requireOffered }: { requireOffered: RequireOffered },
  { apiKeyId, ...update }: ApiKeyUpdate & { apiKeyId: string },
  { actor, now }: { actor: Actor; now: Date },
): Promise<ApiKey> {
  const decide = async ({ modelPolicy }: ApiKey): Promise<ApiKeyChange> => {
    requireFuture(update.expiresAt, now);
    await requireOffered(accountId, update.modelPolicy, modelPolicy?.models ?? []);
    return toApiKeyChange(update, now);
  };
  return changeApiKey(accountId, accounts, { apiKeyId, action: 'change', decide, actor, now });
}

/** A key's lifetime starts when its expiry is set. */
export function toApiKeyChange(
  {
    name,
    monthlySpendLimitNano,
    expiresAt,
    modelPolicy,
    allowedOrigins,
    showsAccountLimits,
    isDisabled,
  }: ApiKeyUpdate,
  now: Date,
): ApiKeyChange {
  return {
    ...(name !== undefined && { name }),
    ...(monthlySpendLimitNano !== undefined && { monthlySpendLimitNano }),
    ...(expiresAt !== undefined && { expiresAt, lifetimeStartsAt: now }),
    ...(modelPolicy !== undefined && fromModelPolicy(modelPolicy)),
    ...(allowedOrigins !== undefined && { allowedOrigins }),
    ...(showsAccountLimits !== undefined && { showsAccountLimits }),
    ...(isDisabled !== undefined && { disabledAt: isDisabled ? now : null }),
  };
}

/**
 * Replaces the secret of a key, which keeps its id and its history. The old secret ends with the commit.
 * Throws `api_key_not_found`, `api_key_revoked` and, for an expiry in the past, `invalid_request_error`.
 */
export async function rotateApiKey(
  accountId: string,
  accounts: Accounts,
  { hasher }: { hasher: KeyHasher },
  { apiKeyId, expiresAt }: { apiKeyId: string; expiresAt: Date | null | undefined },
  { actor, now }: { actor: Actor; now: Date },
): Promise<{ secret: string; apiKey: ApiKey }> {
  const { secret, ...columns } = createSecret(hasher);
  const decide = (before: ApiKey): ApiKeyChange => {
    requireFuture(expiresAt, now);
    return { ...columns, secretIssuedAt: now, ...expiryAfterRotation(before, expiresAt, now) };
  };
  const apiKey = await changeApiKey(accountId, accounts, { apiKeyId, action: 'rotate', decide, actor, now });
  return { secret, apiKey };
}

/** Concurrent changes of one key: all but one of them must read it again. */
const MAX_ATTEMPTS = 5;

interface Changing {
  apiKeyId: string;
  action: 'change' | 'rotate';
  decide: (apiKey: ApiKey) => Promise<ApiKeyChange> | ApiKeyChange;
  actor: Actor;
  now: Date;
}

/**
 * Changes an unrevoked key as `decide` returns. Raises the version, so that the next request on any gateway
 * uses the new settings. Throws `api_key_not_found`, `api_key_revoked` and the errors of `decide`.
 */
async function changeApiKey(
  accountId: string,
  db: Queryable,
  { apiKeyId, action, decide, actor, now }: Changing,
): Promise<ApiKey> {
  await requireChangePace(accountId, db, actor);
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const before = await findApiKey(accountId, db, apiKeyId, now);
    if (before.status === 'revoked') throw new ApiError('api_key_revoked');
    requireListed(before);
    const change = Object.entries(await decide(before)) as [keyof ApiKeyChange, unknown][];
    const assignments = change.map(([name], i) => `${COLUMNS[name]} = $${String(i + 8)}`);

    // The version makes this a compare-and-set: the row that `decide` saw is unchanged and unrevoked.
    const { rows } = await db.query<{ isDone: boolean }>(
      `WITH changed AS (
         UPDATE api_key SET ${[...assignments, 'version = version + 1'].join(', ')}
         WHERE account_id = $1 AND id = $2 AND version = $3 AND revoked_at IS NULL RETURNING id
       ), noted AS (${notingSql('api_key', action, { done: 'changed', at: 4 })})
       SELECT EXISTS (SELECT FROM changed) AS "isDone"`,
      [accountId, apiKeyId, before.version, ...toActorValues(actor), ...change.map(([, value]) => value)],
    );
    if (rows[0]?.isDone) return findApiKey(accountId, db, apiKeyId, now);
  }
  throw new ApiError('service_unavailable', { retryAfterSeconds: 1 });
}

/** Otherwise the playground's key, which no list shows, could be kept alive without being noticed. */
function requireListed({ isPlayground }: ApiKey): void {
  if (!isPlayground) return;
  throw new ApiError('invalid_request_error', {
    param: 'key_public_id',
    message: "The playground's key cannot be changed. It can be revoked.",
  });
}

/** When a key expires, and the start of that lifetime. */
interface ApiKeyExpiry {
  expiresAt: Date | null;
  lifetimeStartsAt: Date;
}

/** Throws `invalid_request_error` unless the expiry is in the future by the database's clock. */
export function requireFuture(expiresAt: Date | null | undefined, now: Date): void {
  if (expiresAt && expiresAt.getTime() <= now.getTime()) {
    throw new ApiError('invalid_request_error', {
      param: 'expires_at',
      message: "'expires_at' must be a time in the future.",
    });
  }
}

/**
 * The expiry of a key after its secret was replaced: as its owner says (`null`: never). Otherwise an
 * unexpired key keeps its expiry, and an expired one gets its former lifetime again, from now and rounded up
 * to a whole second. The lifetime is the one that the owner chose: a rotation in the middle of it does not
 * shorten it.
 */
export function expiryAfterRotation(
  { expiresAt, lifetimeStartsAt }: ApiKeyExpiry,
  requested: Date | null | undefined,
  now: Date,
): ApiKeyExpiry {
  if (requested !== undefined) return { expiresAt: requested, lifetimeStartsAt: now };
  if (expiresAt === null || expiresAt.getTime() > now.getTime()) return { expiresAt, lifetimeStartsAt };
  const lifetimeMs = expiresAt.getTime() - lifetimeStartsAt.getTime();
  const expiresAtMs = Math.ceil((now.getTime() + lifetimeMs) / SECOND_MS) * SECOND_MS;
  return { expiresAt: new Date(expiresAtMs), lifetimeStartsAt: new Date(expiresAtMs - lifetimeMs) };
}
