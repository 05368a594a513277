import { accountModelList, accountRecord } from '@farebox/contracts';
import { json, type Operation } from '../operation';
import { ACCOUNT_ID, DAY, MODEL_TERMS, NOON } from './examples';

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
  low_balance_threshold: '5.000000000',
};

const getAccount = {
  ...ofSession,
  id: 'getAccount',
  method: 'GET',
  path: '/v1/account',
  summary: 'Get the account',
  description: 'Who it is, its daily caps, what is left of them today, and the limits of its keys.',
  answers: [{ status: 200, description: 'The account.', contents: [json(accountRecord, { account })] }],
  errors: [],
} satisfies Operation;

const listAccountModels = {
  ...ofSession,
  id: 'listAccountModels',
  method: 'GET',
  path: '/v1/account/models',
  summary: 'List the models that the account may use',
  description:
    'With their prices and limits. `GET /v1/models` is the same list for one API key, whose own list may bar some.',
  answers: [
    {
      status: 200,
      description: 'The models, by id.',
      contents: [
        json(accountModelList, {
          one: {
            object: 'list',
            data: [{ object: 'account_model', id: 'farebox-small', owned_by: 'farebox', ...MODEL_TERMS }],
          },
        }),
      ],
    },
  ],
  errors: [],
} satisfies Operation;

export const accountOperations = { getAccount, listAccountModels };
