import { apiKeyNotFound, type ApiKey, type RequireOffered } from '@farebox/accounts';
import { fromPublicId, toPublicId, type KeyHasher } from '@farebox/auth';
import { toListPage, toUnixSeconds, type ApiKeyRecord, type ApiKeyWithSecret } from '@farebox/api';
import { apiKeyOperations as operations } from '@farebox/api/operations';
import { toDecimalUsd } from '@farebox/money';
import { requireCursor } from '../use-cases/account';
import type { UseCases } from '../use-cases/bind-use-cases';
import { on, type Endpoint } from './endpoint';

interface ApiKeyRules {
  hasher: KeyHasher;
  requireOffered: RequireOffered;
}

/** `/v1/api-keys`. */
export function apiKeyEndpoints(apiKeys: UseCases['apiKeys'], rules: ApiKeyRules): Endpoint[] {
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
      return { body: toApiKeyWithSecret(await apiKeys.createApiKey(accountId, rules, settings, doing)) };
    }),

    on(operations.listApiKeys, async ({ accountId, now, filter: { limit, after, include, ...filter } }) => {
      await requireCursor(accountId, after, apiKeys.ownsApiKey, 'id of a key');
      const page = { ...filter, afterId: after, count: limit + 1, withPlayground: include === 'playground' };
      const keys = await apiKeys.listApiKeys(accountId, page, now);
      return { body: toListPage(keys.map(toApiKeyRecord), limit, (record) => record.key_public_id) };
    }),

    on(operations.getApiKey, async ({ accountId, now, params }) => ({
      body: toApiKeyRecord(await apiKeys.findApiKey(accountId, readKeyPublicId(params), now)),
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
        isDisabled: body.disabled,
      };
      return { body: toApiKeyRecord(await apiKeys.updateApiKey(accountId, rules, update, doing)) };
    }),

    on(operations.rotateApiKey, async ({ accountId, params, body, ...doing }) => {
      const wanted = { apiKeyId: readKeyPublicId(params), expiresAt: body.expires_at };
      return { body: toApiKeyWithSecret(await apiKeys.rotateApiKey(accountId, rules, wanted, doing)) };
    }),

    on(operations.revokeApiKey, async ({ accountId, actor, now, params }) => {
      const apiKeyId = readKeyPublicId(params);
      await apiKeys.revokeApiKey(accountId, apiKeyId, actor);
      return { body: toApiKeyRecord(await apiKeys.findApiKey(accountId, apiKeyId, now)) };
    }),

    on(operations.obtainPlaygroundKey, async ({ accountId, ...doing }) => ({
      body: toApiKeyWithSecret(await apiKeys.obtainPlaygroundKey(accountId, rules, doing)),
    })),
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
    playground: key.isPlayground,
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
