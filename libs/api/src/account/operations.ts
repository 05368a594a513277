import { ACCOUNT_ID, DAY, EVENT_ID, MODEL_TERMS, NOON, onlyPage, SESSION_ID } from '../examples';
import { json, type Operation } from '../operation';
import { TOO_MANY_CHANGES } from '../api-keys/operations';
import { accountEventList, listAccountEventsQuery } from './events';
import {
  accountLimitList,
  accountModelList,
  accountRecord,
  listAccountModelsQuery,
  updateAccountBody,
} from './schema';

const ofSession = { services: ['account'], tag: 'Account', credential: 'session' } as const;

const account = {
  object: 'account',
  account_id: ACCOUNT_ID,
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  status: 'active',
  created_at: NOON - 20 * DAY,
  caps: { daily_spend: '50.000000000', daily_requests: 5_000 },
  today: {
    spend: '1.250000000',
    spend_left: '48.750000000',
    requests: 312,
    requests_left: 4_688,
    resets_at: NOON + DAY / 2,
  },
  month: { spend: '12.345000000', requests: 2_870, starts_at: NOON - 20.5 * DAY },
  request_limits: { requests: 60, window_seconds: 60, concurrent: 16 },
  language: 'en',
  low_balance_threshold: '5.000000000',
};

const getAccount = {
  ...ofSession,
  id: 'getAccount',
  method: 'GET',
  path: '/v1/account',
  summary: 'Get the account',
  description:
    'Name and e-mail, the daily caps, what is left of them today, and the request limits of each API key.',
  answers: [{ status: 200, description: 'The account.', contents: [json(accountRecord, { account })] }],
  errors: [],
} satisfies Operation;

const updateAccount = {
  ...ofSession,
  id: 'updateAccount',
  method: 'PATCH',
  path: '/v1/account',
  summary: 'Change the account',
  description:
    'What is left out stays as it is. Below `low_balance_threshold` the owner is mailed once; `null` turns that mail off. Without a `language`, the console and the mails use that of the browser.',
  body: {
    schema: updateAccountBody,
    isRequired: true,
    examples: {
      a_threshold: { low_balance_threshold: '5.00' },
      without_one: { low_balance_threshold: null },
      a_name: { name: 'Ada Lovelace' },
      a_language: { language: 'de' },
    },
  },
  answers: [
    {
      status: 200,
      description: 'The account after the change.',
      contents: [json(accountRecord, { account })],
    },
  ],
  errors: [
    { code: 'invalid_request_error', param: 'low_balance_threshold' },
    {
      code: 'authentication_error',
      when: 'No session, or the session of a device: it cannot change the account.',
    },
    TOO_MANY_CHANGES,
  ],
} satisfies Operation;

const listAccountModels = {
  ...ofSession,
  id: 'listAccountModels',
  method: 'GET',
  path: '/v1/account/models',
  summary: 'List the models that the account may use',
  description: 'With their prices and limits. `GET /v1/models` lists those that one API key may use.',
  query: listAccountModelsQuery,
  answers: [
    {
      status: 200,
      description: 'The models, in the order of the catalogue.',
      contents: [
        json(accountModelList, {
          one: {
            object: 'list',
            data: [
              {
                ...{ object: 'account_model', id: 'farebox-small', owned_by: 'farebox', allowed_api_keys: 2 },
                ...MODEL_TERMS,
              },
            ],
            active_api_keys: 3,
          },
        }),
      ],
    },
  ],
  errors: [],
} satisfies Operation;

const ofTokens = {
  ...{
    object: 'account_limit',
    measure: 'tokens',
    per: 'minute',
    key_public_id: null,
    key_name: null,
    model: 'farebox-large',
  },
  ...{ limit: 100_000, used: 3_500, left: 96_500, resets_at: NOON + 42 },
};
const ofSpending = {
  ...{ object: 'account_limit', measure: 'spend', per: 'week' },
  ...{ key_public_id: null, key_name: null, model: null },
  ...{ limit: '50.000000000', used: '12.345000000', left: '37.655000000', resets_at: NOON + 3 * DAY },
};

const listAccountLimits = {
  ...ofSession,
  id: 'listAccountLimits',
  method: 'GET',
  path: '/v1/account/limits',
  summary: 'List the limits of the account',
  description:
    'The limits of requests, tokens, concurrency and spending that the operator has set for the account and its API keys, and what is left of them. A request must have room in all that apply to it.',
  answers: [
    {
      status: 200,
      description: 'The limits; none if the operator has set none.',
      contents: [json(accountLimitList, { two: { object: 'list', data: [ofTokens, ofSpending] } })],
    },
  ],
  errors: [],
} satisfies Operation;

const signIn = {
  object: 'account_event',
  event_id: EVENT_ID,
  created_at: NOON,
  credential: 'session',
  credential_id: SESSION_ID,
  name: null,
  action: 'create',
  actor_kind: 'session',
  actor_id: SESSION_ID,
  network: '192.0.2.0/24',
  user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0',
  browser: 'Firefox on Linux',
  new_browser: true,
};

const listAccountEvents = {
  ...ofSession,
  id: 'listAccountEvents',
  method: 'GET',
  path: '/v1/account/events',
  summary: 'List what was done to the account',
  description:
    'Sign-ins, what was done to API keys, devices and sessions, and changes of the account: when, by whom and from where, newest first. The operator says how long that is kept.',
  query: listAccountEventsQuery,
  answers: [
    {
      status: 200,
      description: 'A page of the events.',
      contents: [json(accountEventList, { one: onlyPage([signIn], (row) => row.event_id) })],
    },
  ],
  errors: [{ code: 'invalid_request_error', param: 'limit' }],
} satisfies Operation;

export const accountOperations = {
  getAccount,
  updateAccount,
  listAccountLimits,
  listAccountModels,
  listAccountEvents,
};
