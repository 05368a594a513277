import { byTokenColumn, TOKEN_COLUMNS } from '@farebox/money';
import type { z } from 'zod';
import { COMPLETION_ID, DAY, KEY_ID, NOON, onlyPage, REQUEST_ID } from '../examples';
import { type Answer, json, type Operation } from '../operation';
import { WHOLE_CSV } from '../fields';
import {
  listUsageQuery,
  usageByApiKey,
  usageByGroupQuery,
  usageByModel,
  usageList,
  usageRecord,
  usageSummary,
  usageSummaryQuery,
} from './schema';

const MIDNIGHT = NOON - DAY / 2;
const totals = {
  requests: 1,
  prompt_tokens: 14,
  completion_tokens: 7,
  total_tokens: 21,
  cost: '0.000010500',
  ...byTokenColumn((kind) => (kind === 'cachedTokens' ? 8 : 0)),
};
const nothing = {
  ...{ requests: 0, prompt_tokens: 0, completion_tokens: 0, total_tokens: 0, cost: '0.000000000' },
  ...byTokenColumn(() => 0),
};
const range = { starts_at: MIDNIGHT - DAY, ends_at: MIDNIGHT + DAY, currency: 'usd', totals };

const request = {
  object: 'usage',
  id: COMPLETION_ID,
  request_id: REQUEST_ID,
  model: 'farebox-small',
  key_public_id: KEY_ID,
  key_name: 'laptop',
  prompt_tokens: 14,
  completion_tokens: 7,
  total_tokens: 21,
  cost: '0.000010500',
  currency: 'usd',
  outcome: 'completed',
  streamed: true,
  estimated: false,
  latency_ms: 840,
  first_token_ms: 210,
  created_at: NOON + 60,
  ...byTokenColumn((kind) => (kind === 'cachedTokens' ? 8 : null)),
  error_code: null,
  error_message: null,
  error_param: null,
  http_status: 200,
};
const refused = {
  ...request,
  id: 'chatcmpl-01kag0t2qefxh8p2pt9vn4yzrr',
  request_id: 'req_01kag0t2qefxh8p2pt9vn4yzrr',
  prompt_tokens: 0,
  completion_tokens: 0,
  total_tokens: 0,
  cost: '0.000000000',
  outcome: 'refused',
  latency_ms: 3,
  first_token_ms: null,
  created_at: NOON + 120,
  error_code: 'rate_limit_error',
  error_message: 'Too many requests. Wait before the next one.',
  http_status: 429,
  cached_tokens: null,
};
const COLUMNS = TOKEN_COLUMNS.join(',');
const TOTALS = `requests,prompt_tokens,completion_tokens,total_tokens,cost,currency,${COLUMNS}`;
const TOTALS_LINE = `1,14,7,21,0.000010500,usd,${TOKEN_COLUMNS.map((column) => totals[column]).join(',')}`;

/** For each endpoint of usage: its response as JSON, and the first lines of it as CSV. */
const usageExamples = {
  list: {
    json: onlyPage([request], (row) => row.id),
    csv: 'id,created_at,created_at_iso,request_id,model,key_public_id,key_name,prompt_tokens,completion_tokens\r\n',
  },
  summary: {
    json: {
      object: 'usage_summary',
      bucket: 'day',
      ...range,
      series: [
        { starts_at: MIDNIGHT - DAY, ...nothing },
        { starts_at: MIDNIGHT, ...totals },
      ],
    },
    csv: `starts_at,starts_at_iso,${TOTALS}\r\n${String(MIDNIGHT)},2026-11-21T00:00:00Z,${TOTALS_LINE}\r\n`,
  },
  byModel: {
    json: { object: 'usage_by_model', ...range, data: [{ model: 'farebox-small', ...totals }] },
    csv: `model,${TOTALS}\r\nfarebox-small,${TOTALS_LINE}\r\n`,
  },
  byApiKey: {
    json: {
      object: 'usage_by_api_key',
      ...range,
      data: [{ key_public_id: KEY_ID, name: 'laptop', hint: 'x7Qd', status: 'active', ...totals }],
    },
    csv: `key_public_id,name,hint,status,${TOTALS}\r\n${KEY_ID},laptop,x7Qd,active,${TOTALS_LINE}\r\n`,
  },
} as const;

const ofSession = {
  services: ['account'],
  method: 'GET',
  tag: 'Usage',
  credential: 'session',
  errors: [{ code: 'invalid_request_error', param: 'start' }],
} as const;

/** Each of them returns CSV if `format` or the header `Accept` requests it. */
const answerOf = (
  schema: z.ZodType,
  example: { json: object; csv: string },
  headers: Answer['headers'] = [],
): Answer => ({
  status: 200,
  description: 'As JSON, or as CSV if `format` or `Accept` asks for it.',
  headers: ['Vary', 'Content-Disposition', ...headers],
  contents: [
    json(schema, { some: example.json }),
    { mediaType: 'text/csv', examples: { some: example.csv } },
  ],
});

const listUsage = {
  ...ofSession,
  id: 'listUsage',
  path: '/v1/usage',
  summary: 'List the requests',
  description:
    'Those that were charged, or with `outcome` others too. Refused and failed requests cost nothing; they are kept for ' +
    'some weeks, and not every one of very many at once. Newest first. With `outcome`, a page may have fewer than ' +
    '`limit` while `has_more` is true: go on after `last_id`. As CSV without `limit` it is whole: ' +
    `${WHOLE_CSV} With \`limit\`, the next page is in the header \`Link\`.`,
  query: listUsageQuery,
  answers: [answerOf(usageList, usageExamples.list, ['Link'])],
} satisfies Operation;

const NO_SUCH_REQUEST = {
  code: 'invalid_request_error',
  status: 404,
  param: 'usage_id',
  when: 'There is no such request of the account, or it is no longer kept. The response for a request of another account is the same.',
} as const;

const getUsage = {
  ...ofSession,
  id: 'getUsage',
  path: '/v1/usage/{usage_id}',
  summary: 'Get a request',
  description: 'Charged or not.',
  answers: [
    {
      status: 200,
      description: 'The request.',
      contents: [json(usageRecord, { charged: request, refused })],
    },
  ],
  errors: [NO_SUCH_REQUEST],
} satisfies Operation;

const summarizeUsage = {
  ...ofSession,
  id: 'summarizeUsage',
  path: '/v1/usage/summary',
  summary: 'Get totals, and a series by the hour or the day',
  description: 'Without a range: the last 30 days. Hours and days without usage are there, with zeros.',
  query: usageSummaryQuery,
  answers: [answerOf(usageSummary, usageExamples.summary)],
} satisfies Operation;

const listUsageByModel = {
  ...ofSession,
  id: 'listUsageByModel',
  path: '/v1/usage/by-model',
  summary: 'Get totals of each model',
  query: usageByGroupQuery,
  answers: [answerOf(usageByModel, usageExamples.byModel)],
} satisfies Operation;

const listUsageByApiKey = {
  ...ofSession,
  id: 'listUsageByApiKey',
  path: '/v1/usage/by-api-key',
  summary: 'Get totals of each API key',
  description: 'Of revoked keys too. As CSV, all of them.',
  query: usageByGroupQuery,
  answers: [answerOf(usageByApiKey, usageExamples.byApiKey)],
} satisfies Operation;

export const usageOperations = {
  listUsage,
  summarizeUsage,
  listUsageByModel,
  listUsageByApiKey,
  getUsage,
};
