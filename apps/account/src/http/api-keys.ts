import {
  apiKeyNotFound,
  createApiKey,
  findApiKey,
  listApiKeys,
  ownsApiKey,
  revokeApiKey,
  rotateApiKey,
  updateApiKey,
  type Accounts,
  type ApiKey,
  type RequireOffered,
} from '@farebox/accounts';
import { fromPublicId, toPublicId, type KeyHasher } from '@farebox/auth';
import { toListPage, toUnixSeconds, type ApiKeyRecord, type ApiKeyWithSecret } from '@farebox/api';
import { apiKeyOperations as operations } from '@farebox/api/operations';
import { toDecimalUsd } from '@farebox/money';
import { requireCursor } from '../use-cases/account';
import { on, type Endpoint } from './endpoint';

interface ApiKeyParts {
  accounts: Accounts;
  hasher: KeyHasher;
  requireOffered: RequireOffered;
}

/** `/v1/api-keys`. */
export function apiKeyEndpoints({ accounts, ...rules }: ApiKeyParts): Endpoint[] {
  return [
    on(operations.createApiKey, async ({ accountId, body, ...doing }) => {
      const settings = {
        name: body.name,
        monthlySpendLimitNano: body.monthly_spend_limit ?? null,
        expiresAt: body.expires_at ?? null,
        modelPolicy: body.model_policy ?? null,
        allowedOrigins: body.allowed_origins ?? null,
        showsAccountLimits: body.shows_account_limits ?? null,
      };
      return { body: toApiKeyWithSecret(await createApiKey(accountId, accounts, rules, settings, doing)) };
    }),

    on(operations.listApiKeys, async ({ accountId, now, filter: { limit, after, status } }) => {
      await requireCursor(accountId, after, (owner, id) => ownsApiKey(owner, accounts, id), 'id of a key');
      const keys = await listApiKeys(accountId, accounts, { afterId: after, count: limit + 1, status }, now);
      return { body: toListPage(keys.map(toApiKeyRecord), limit, (record) => record.key_public_id) };
    }),

    on(operations.getApiKey, async ({ accountId, now, params }) => ({
      body: toApiKeyRecord(await findApiKey(accountId, accounts, readKeyPublicId(params), now)),
    })),

    on(operations.updateApiKey, async ({ accountId, params, body, ...doing }) => {
      const update = {
        apiKeyId: readKeyPublicId(params),
        name: body.name,
        monthlySpendLimitNano: body.monthly_spend_limit,
        expiresAt: body.expires_at,
        modelPolicy: body.model_policy,
        allowedOrigins: body.allowed_origins,
        showsAccountLimits: body.shows_account_limits,
      };
      return { body: toApiKeyRecord(await updateApiKey(accountId, accounts, rules, update, doing)) };
    }),

    on(operations.rotateApiKey, async ({ accountId, params, body, ...doing }) => {
      const wanted = { apiKeyId: readKeyPublicId(params), expiresAt: body.expires_at };
      return { body: toApiKeyWithSecret(await rotateApiKey(accountId, accounts, rules, wanted, doing)) };
    }),

    on(operations.revokeApiKey, async ({ accountId, actor, now, params }) => {
      const apiKeyId = readKeyPublicId(params);
      await revokeApiKey(accountId, accounts, apiKeyId, actor);
      return { body: toApiKeyRecord(await findApiKey(accountId, accounts, apiKeyId, now)) };
    }),
  ];
}

function toApiKeyRecord(key: ApiKey): ApiKeyRecord {
  return {
    object: 'api_key',
    key_public_id: toPublicId('key', key.id),
    name: key.name,
    hint: key.hint,
    status: key.status,
    created_at: toUnixSeconds(key.createdAt),
    expires_at: key.expiresAt && toUnixSeconds(key.expiresAt),
    revoked_at: key.revokedAt && toUnixSeconds(key.revokedAt),
    last_used_at: key.lastUsedAt && toUnixSeconds(key.lastUsedAt),
    monthly_spend_limit: key.monthlySpendLimitNano === null ? null : toDecimalUsd(key.monthlySpendLimitNano),
    monthly_spend: toDecimalUsd(key.monthlySpendNano),
    currency: 'usd',
    model_policy: key.modelPolicy,
    allowed_origins: key.allowedOrigins,
    shows_account_limits: key.showsAccountLimits,
  };
}

/** The record with its secret, for the only response that contains it. */
function toApiKeyWithSecret({ secret, apiKey }: { secret: string; apiKey: ApiKey }): ApiKeyWithSecret {
  return { ...toApiKeyRecord(apiKey), key: secret };
}

/** The key id in a path. Throws the error of a missing key if it is malformed. */
function readKeyPublicId({ key_public_id: text }: Readonly<Record<string, unknown>>): string {
  const apiKeyId = typeof text === 'string' ? fromPublicId('key', text) : undefined;
  if (apiKeyId === undefined) throw apiKeyNotFound();
  return apiKeyId;
}
