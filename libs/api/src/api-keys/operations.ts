import { API_KEY_SECRET, DAY, KEY_ID, NOON, onlyPage } from '../examples';
import { json, type Operation } from '../operation';
import {
  apiKeyList,
  apiKeyRecord,
  apiKeyWithSecret,
  createApiKeyBody,
  listApiKeysQuery,
  rotateApiKeyBody,
  updateApiKeyBody,
} from './schema';

const apiKey = {
  object: 'api_key',
  key_public_id: KEY_ID,
  name: 'laptop',
  hint: '000X',
  status: 'active',
  created_at: NOON,
  expires_at: NOON + 90 * DAY,
  revoked_at: null,
  last_used_at: NOON + 60,
  monthly_spend_limit: '25.000000000',
  monthly_spend: '0.000010500',
  currency: 'usd',
  model_policy: { mode: 'allow', models: ['farebox-small'] },
  allowed_origins: null,
  shows_account_limits: true,
  playground: false,
};

const newApiKey = { ...apiKey, last_used_at: null, monthly_spend: '0.000000000' };

const revokedApiKey = { ...apiKey, status: 'revoked', revoked_at: NOON + DAY };

const ofSession = { services: ['account'], tag: 'API keys', credential: 'session' } as const;
const NOT_FOUND = { code: 'api_key_not_found', param: 'key_public_id' } as const;
/** For devices and the account too: each change is recorded permanently. */
export const TOO_MANY_CHANGES = {
  code: 'rate_limit_error',
  when: 'The account has reached its limit of changes to itself, its keys and its devices in 24 hours.',
} as const;

const createApiKey = {
  ...ofSession,
  id: 'createApiKey',
  method: 'POST',
  path: '/v1/api-keys',
  summary: 'Create an API key',
  description: 'Only this response has the full key: the service stores nothing but a hash of it.',
  body: {
    schema: createApiKeyBody,
    isRequired: true,
    examples: {
      plain: { name: 'laptop' },
      with_limits: {
        name: 'laptop',
        monthly_spend_limit: '25.00',
        expires_at: NOON + 90 * DAY,
        model_policy: { mode: 'allow', models: ['farebox-small'] },
      },
    },
  },
  answers: [
    {
      status: 201,
      description: 'The record, with the key.',
      contents: [json(apiKeyWithSecret, { created: { ...newApiKey, key: API_KEY_SECRET } })],
    },
  ],
  errors: [
    { code: 'invalid_request_error', param: 'name' },
    { code: 'rate_limit_error', when: 'The account has made as many keys as it may in 24 hours.' },
  ],
} satisfies Operation;

const listApiKeys = {
  ...ofSession,
  id: 'listApiKeys',
  method: 'GET',
  path: '/v1/api-keys',
  summary: 'List the API keys',
  description:
    "Revoked and expired ones too, unless `status` says otherwise. Not the playground's, unless `include` says so.",
  query: listApiKeysQuery,
  answers: [
    {
      status: 200,
      description: 'A page of the keys.',
      contents: [json(apiKeyList, { one: onlyPage([apiKey], (key) => key.key_public_id) })],
    },
  ],
  errors: [{ code: 'invalid_request_error', param: 'status' }],
} satisfies Operation;

const getApiKey = {
  ...ofSession,
  id: 'getApiKey',
  method: 'GET',
  path: '/v1/api-keys/{key_public_id}',
  summary: 'Get an API key',
  answers: [{ status: 200, description: 'The record.', contents: [json(apiKeyRecord, { active: apiKey })] }],
  errors: [NOT_FOUND],
} satisfies Operation;

const updateApiKey = {
  ...ofSession,
  id: 'updateApiKey',
  method: 'PATCH',
  path: '/v1/api-keys/{key_public_id}',
  summary: 'Change an API key',
  description:
    'What is left out stays as it is; `null` removes a setting. The change applies from the next request on.',
  body: {
    schema: updateApiKeyBody,
    isRequired: true,
    examples: {
      raise_the_limit: { monthly_spend_limit: '50.00' },
      without_a_list: { model_policy: null },
      for_pages: { allowed_origins: ['https://app.example.com'] },
    },
  },
  answers: [
    {
      status: 200,
      description: 'The record after the change.',
      contents: [json(apiKeyRecord, { changed: apiKey })],
    },
  ],
  errors: [
    { code: 'invalid_request_error', param: 'monthly_spend_limit' },
    NOT_FOUND,
    'api_key_revoked',
    TOO_MANY_CHANGES,
  ],
} satisfies Operation;

const rotateApiKey = {
  ...ofSession,
  id: 'rotateApiKey',
  method: 'POST',
  path: '/v1/api-keys/{key_public_id}/rotate',
  summary: 'Rotate an API key',
  description:
    'Replaces the secret and keeps the id. The old secret stops working at once. Without `expires_at` an unexpired key keeps its expiry, and an expired one gets its former lifetime again.',
  body: {
    schema: rotateApiKeyBody,
    isRequired: false,
    examples: { as_before: {}, with_an_expiry: { expires_at: NOON + 90 * DAY } },
  },
  answers: [
    {
      status: 200,
      description: 'The record, with the new key.',
      contents: [json(apiKeyWithSecret, { rotated: { ...apiKey, key: API_KEY_SECRET } })],
    },
  ],
  errors: [
    { code: 'invalid_request_error', param: 'expires_at' },
    NOT_FOUND,
    'api_key_revoked',
    TOO_MANY_CHANGES,
  ],
} satisfies Operation;

const revokeApiKey = {
  ...ofSession,
  id: 'revokeApiKey',
  method: 'DELETE',
  path: '/v1/api-keys/{key_public_id}',
  summary: 'Revoke an API key',
  description:
    'The next request with the key is refused. Revoking it again changes nothing and gets the same response.',
  answers: [
    {
      status: 200,
      description: 'The revoked record.',
      contents: [json(apiKeyRecord, { revoked: revokedApiKey })],
    },
  ],
  errors: [NOT_FOUND],
} satisfies Operation;

const obtainPlaygroundKey = {
  ...ofSession,
  id: 'obtainPlaygroundKey',
  method: 'POST',
  path: '/v1/playground-key',
  summary: "Obtain the playground's key",
  description:
    'The account has one, which no list shows and nobody can change. Each call replaces its secret, for a day; it ends earlier with the end of any session of the account.',
  answers: [
    {
      status: 201,
      description: 'The record, with the key.',
      contents: [
        json(apiKeyWithSecret, {
          obtained: {
            ...newApiKey,
            name: 'Playground',
            expires_at: NOON + DAY,
            monthly_spend_limit: null,
            model_policy: null,
            playground: true,
            key: API_KEY_SECRET,
          },
        }),
      ],
    },
  ],
  errors: [TOO_MANY_CHANGES],
} satisfies Operation;

export const apiKeyOperations = {
  createApiKey,
  listApiKeys,
  getApiKey,
  updateApiKey,
  rotateApiKey,
  revokeApiKey,
  obtainPlaygroundKey,
};
