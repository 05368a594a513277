import { COMPLETION_ID, KEY_ID, LEDGER_PROOF, NOON, REQUEST_ID } from '../examples';
import { json, type Operation } from '../operation';
import { receipt, type Receipt } from './schema';

const charged: Receipt = {
  object: 'request',
  id: COMPLETION_ID,
  request_id: REQUEST_ID,
  state: 'charged',
  model: 'farebox-small',
  key_public_id: KEY_ID,
  hold: null,
  usage: { prompt_tokens: 14, completion_tokens: 14, total_tokens: 28 },
  cost: '0.000010500',
  refunded: '0.000000000',
  currency: 'usd',
  costs: [
    { kind: 'input', count: 14, price: '0.150000000', unit: '1M tokens', cost: '0.000002100' },
    { kind: 'output', count: 14, price: '0.600000000', unit: '1M tokens', cost: '0.000008400' },
  ],
  price_version: { id: 'price_01kag0s0ard3h8p2pt9vn4yzrq', starts_at: NOON - 3_600 },
  outcome: 'completed',
  streamed: true,
  estimated: false,
  latency_ms: 840,
  first_token_ms: 210,
  ended_at: NOON + 60,
  error_code: null,
  error_message: null,
  error_param: null,
  http_status: null,
  review: null,
  proof: null,
};

/** The day after. */
const proven = { ...charged, proof: { ...LEDGER_PROOF, path: [...LEDGER_PROOF.path] } } satisfies Receipt;

const uncharged = {
  ...charged,
  ...{
    usage: null,
    cost: '0.000000000',
    costs: [],
    price_version: null,
    outcome: null,
    first_token_ms: null,
  },
} satisfies Receipt;

const running: Receipt = {
  ...uncharged,
  state: 'running',
  hold: { amount: '0.002457600', since: NOON, ends_by: NOON + 720 },
  price_version: charged.price_version,
  ...{ streamed: null, latency_ms: null, ended_at: null },
};

const refused: Receipt = {
  ...uncharged,
  ...{ state: 'refused', latency_ms: 3, error_code: 'rate_limit_error', http_status: 429 },
  error_message: 'Too many requests. Wait before the next one.',
};

const inReview: Receipt = {
  ...charged,
  state: 'in_review',
  review: {
    state: 'open',
    reason: 'charge_failed',
    message:
      'The charge could not be recorded. The measured cost is reserved until it is charged or released.',
    opened_at: NOON + 60,
    closed_at: null,
  },
};

const getRequest = {
  services: ['account'],
  method: 'GET',
  tag: 'Usage',
  credential: 'session',
  takesApiKey: true,
  id: 'getRequest',
  path: '/v1/requests/{request_id}',
  summary: 'Get the receipt of a request',
  description:
    'What has become of a request: what is held for it, what each kind of token cost, or why it cost nothing. A session ' +
    "finds every request of its account, an API key those that were made with it. The id is the response's " +
    '`X-Service-Request-Id`, or that of the completion. An id that the client gave in `X-Request-Id` finds the newest of ' +
    'the last 10,000 requests that has it. A request that cost nothing may be found a moment after its response.',
  answers: [
    {
      status: 200,
      description: 'The receipt.',
      contents: [json(receipt, { charged, proven, running, in_review: inReview, refused })],
    },
  ],
  errors: [
    {
      code: 'invalid_request_error',
      status: 404,
      param: 'request_id',
      when: 'There is no such request of the account or of the key, or it is no longer kept. The response for a request of another account is the same.',
    },
  ],
} satisfies Operation;

export const receiptOperations = { getRequest };
