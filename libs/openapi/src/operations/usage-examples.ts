import { COMPLETION_ID, DAY, KEY_ID, NOON, onlyPage, REQUEST_ID } from './examples';

const MIDNIGHT = NOON - DAY / 2;
const totals = {
  requests: 1,
  prompt_tokens: 14,
  completion_tokens: 7,
  total_tokens: 21,
  cost: '0.000010500',
};
const nothing = { requests: 0, prompt_tokens: 0, completion_tokens: 0, total_tokens: 0, cost: '0.000000000' };
const range = { starts_at: MIDNIGHT - DAY, ends_at: MIDNIGHT + DAY, currency: 'usd', totals };

const request = {
  object: 'usage',
  id: COMPLETION_ID,
  request_id: REQUEST_ID,
  model: 'farebox-small',
  key_public_id: KEY_ID,
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
};
const TOTALS = 'requests,prompt_tokens,completion_tokens,total_tokens,cost';
const TOTALS_LINE = '1,14,7,21,0.000010500';

/** For each endpoint of usage: its answer as JSON, and the first lines of it as CSV. */
export const usageExamples = {
  list: {
    json: onlyPage([request], (row) => row.id),
    csv: `${Object.keys(request).slice(1).join(',')}\r\n${Object.values(request).slice(1).join(',')}\r\n`,
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
    csv: `starts_at,${TOTALS}\r\n${String(MIDNIGHT)},${TOTALS_LINE}\r\n`,
  },
  byModel: {
    json: { object: 'usage_by_model', ...range, data: [{ model: 'farebox-small', ...totals }] },
    csv: `model,${TOTALS}\r\nfarebox-small,${TOTALS_LINE}\r\n`,
  },
  byApiKey: {
    json: {
      object: 'usage_by_api_key',
      ...range,
      data: [{ key_public_id: KEY_ID, name: 'laptop', status: 'active', ...totals }],
    },
    csv: `key_public_id,name,status,${TOTALS}\r\n${KEY_ID},laptop,active,${TOTALS_LINE}\r\n`,
  },
} as const;
