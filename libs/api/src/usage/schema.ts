import { fromPublicId } from '@farebox/auth';
import { ERROR_CODES, UNCHARGED_OUTCOMES, USAGE_OUTCOMES, type ErrorCode } from '@farebox/errors';
import { byTokenColumn, WHOLE_OF, type TokenKind } from '@farebox/money';
import { z } from 'zod';
import { API_KEY_STATUSES } from '../api-keys/schema';
import {
  currency,
  endAfterStart,
  formatParameter,
  keyName,
  listPage,
  pageParameters,
  timeRangeParameters,
  toldError,
  unixSeconds,
  usdAmount,
} from '../fields';

/** Added for kinds whose name does not say it. */
const MORE: Partial<Record<TokenKind, string>> = {
  cachedTokens: ', read from a cache',
  cacheWriteTokens: ', written to a cache',
};

const count = z.int().min(0);

/** The possible outcomes of a request, charged or not. */
const REQUEST_OUTCOMES = [...USAGE_OUTCOMES, ...UNCHARGED_OUTCOMES] as const;

/** A request: charged, or refused or failed at no cost. */
export const usageRecord = z.strictObject({
  object: z.literal('usage'),
  id: z
    .string()
    .regex(/^chatcmpl-[0-9a-z]{26}$/)
    .describe('The id of the completion, if there was one.'),
  request_id: z.string().describe('The `X-Service-Request-Id` of the request.'),
  model: z
    .string()
    .nullable()
    .describe('Null if the request was refused and named no model that the account may know.'),
  key_public_id: z.string().regex(/^key_[0-9a-z]{26}$/),
  key_name: keyName,
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  cost: usdAmount.describe('What was charged. A refund is a transaction of its own.'),
  currency,
  outcome: z
    .enum(REQUEST_OUTCOMES)
    .describe(
      '`refused`: it did not run. `failed`: it ran or was about to, and nothing was delivered. Both cost nothing.',
    ),
  streamed: z.boolean(),
  estimated: z.boolean().describe("The tokens are the service's own count: the model reported none."),
  latency_ms: count.describe('From the arrival of the request to the end of the answer.'),
  first_token_ms: count.nullable().describe('To the first token of a stream; null where it is not known.'),
  created_at: unixSeconds.describe('When it was charged, or ended without a charge.'),
  error_code: z
    .enum(Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]])
    .nullable()
    .describe('What a refused or failed request was answered with; null if the client had gone before.'),
  ...toldError,
  http_status: z
    .int()
    .nullable()
    .describe(
      'The status of the response; null if the client had gone before. A stream that fails began with 200.',
    ),
  ...byTokenColumn((kind) =>
    count.nullable().describe(`Of the ${WHOLE_OF[kind]}${MORE[kind] ?? ''}. Null if the model did not tell.`),
  ),
});
export type UsageRecord = z.output<typeof usageRecord>;

export const usageList = listPage(usageRecord);

const totals = {
  requests: count,
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  cost: usdAmount,
  ...byTokenColumn((kind) => count.describe(`Of the ${WHOLE_OF[kind]} tokens, as far as models told.`)),
};

/** Total usage and charges. */
export const usageTotals = z.strictObject(totals);
export type UsageTotals = z.output<typeof usageTotals>;

/** The range that was read, which may be wider than the requested one: whole hours. */
const range = {
  starts_at: unixSeconds.describe('The beginning of the range, which belongs to it.'),
  ends_at: unixSeconds.describe('The end of the range, which does not belong to it.'),
  currency,
};

const usageBucket = z.strictObject({ starts_at: unixSeconds, ...totals });
export type UsageBucket = z.output<typeof usageBucket>;

/** `GET /v1/usage/summary`. The totals are the sums of the series. */
export const usageSummary = z.strictObject({
  object: z.literal('usage_summary'),
  bucket: z.enum(['hour', 'day']),
  ...range,
  totals: usageTotals,
  series: z
    .array(usageBucket)
    .describe(
      'Every hour or day of the range in order, with zeros where nothing was used. Days have 24 hours and begin when the range does; the last may be cut off by its end.',
    ),
});
export type UsageSummary = z.output<typeof usageSummary>;

const modelUsage = z.strictObject({ model: z.string(), ...totals });
export type ModelUsage = z.output<typeof modelUsage>;

/** `GET /v1/usage/by-model`: highest cost first. */
export const usageByModel = z.strictObject({
  object: z.literal('usage_by_model'),
  ...range,
  totals: usageTotals,
  data: z.array(modelUsage),
});
export type UsageByModel = z.output<typeof usageByModel>;

const apiKeyUsage = z.strictObject({
  key_public_id: z.string().regex(/^key_[0-9a-z]{26}$/),
  name: z.string(),
  hint: z.string().describe('The last four characters of its secret: names need not differ.'),
  status: z.enum(API_KEY_STATUSES),
  ...totals,
});
export type ApiKeyUsage = z.output<typeof apiKeyUsage>;

/** `GET /v1/usage/by-api-key`: highest cost first, revoked keys too. */
export const usageByApiKey = z.strictObject({
  object: z.literal('usage_by_api_key'),
  ...range,
  totals: usageTotals,
  data: z.array(apiKeyUsage).describe('At most the 1,000 keys that cost most. The totals are of all.'),
});
export type UsageByApiKey = z.output<typeof usageByApiKey>;

/** The error of a filter that names nothing of the account: the same for another account's key and a missing one. */
export const USAGE_FILTER_MESSAGES = {
  key_public_id: 'must be the id of an API key of yours',
  model: 'must be the id of a model that you may use or have used',
} as const;

const MODEL_ID = /^[\x21-\x7e]{1,200}$/;

const filters = {
  ...formatParameter(['json', 'csv']),
  model: z.string(USAGE_FILTER_MESSAGES.model).regex(MODEL_ID, USAGE_FILTER_MESSAGES.model).optional(),
  key_public_id: z
    .string(USAGE_FILTER_MESSAGES.key_public_id)
    .transform((text, context): string => {
      const uuid = fromPublicId('key', text);
      if (uuid !== undefined) return uuid;
      context.addIssue({ code: 'custom', message: USAGE_FILTER_MESSAGES.key_public_id });
      return z.NEVER;
    })
    .optional()
    .describe('Usage of this API key alone. It may be a revoked one.'),
};

const OUTCOME_FILTERS = [...REQUEST_OUTCOMES, 'all'] as const;

/** `GET /v1/usage`. `after` is the id of the last request of the page before. */
export const listUsageQuery = z
  .strictObject({
    ...pageParameters('chatcmpl'),
    ...timeRangeParameters,
    ...filters,
    outcome: z
      .enum(OUTCOME_FILTERS, `must be one of ${OUTCOME_FILTERS.join(', ')}`)
      .optional()
      .describe(
        'Requests that ended like this; `all` for refused and failed ones too. Without it: those that were charged.',
      ),
  })
  .refine(...endAfterStart);

const USAGE_BUCKETS = ['hour', 'day'] as const;

/** `GET /v1/usage/summary`. */
export const usageSummaryQuery = z
  .strictObject({
    ...timeRangeParameters,
    ...filters,
    bucket: z
      .enum(USAGE_BUCKETS, `must be one of ${USAGE_BUCKETS.join(', ')}`)
      .default('day')
      .describe('The length of the steps of the series. The range is widened to whole ones, in UTC.'),
  })
  .refine(...endAfterStart);

/** `GET /v1/usage/by-model` and `GET /v1/usage/by-api-key`. */
export const usageByGroupQuery = z
  .strictObject({ ...timeRangeParameters, ...filters })
  .refine(...endAfterStart);
