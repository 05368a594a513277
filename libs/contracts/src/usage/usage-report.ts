import { z } from 'zod';
import { currency, usdAmount } from '../money';
import { unixSeconds } from '../time';

const count = z.int().min(0);

const totals = {
  requests: count,
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  cost: usdAmount,
};

/** What was used and charged, in all. */
export const usageTotals = z.strictObject(totals);
export type UsageTotals = z.output<typeof usageTotals>;

/** The range that was read, which may be wider than what was asked for: whole hours, or days, of UTC. */
const range = {
  starts_at: unixSeconds.describe('The beginning of the range, which belongs to it.'),
  ends_at: unixSeconds.describe('The end of the range, which does not belong to it.'),
  currency,
};

export const usageBucket = z.strictObject({ starts_at: unixSeconds, ...totals });
export type UsageBucket = z.output<typeof usageBucket>;

/** `GET /v1/usage/summary`. The totals are the sums of the series. */
export const usageSummary = z.strictObject({
  object: z.literal('usage_summary'),
  bucket: z.enum(['hour', 'day']),
  ...range,
  totals: usageTotals,
  series: z
    .array(usageBucket)
    .describe('Every hour or day of the range in order, with zeros where nothing was used.'),
});
export type UsageSummary = z.output<typeof usageSummary>;

export const modelUsage = z.strictObject({ model: z.string(), ...totals });
export type ModelUsage = z.output<typeof modelUsage>;

/** `GET /v1/usage/by-model`: highest cost first. */
export const usageByModel = z.strictObject({
  object: z.literal('usage_by_model'),
  ...range,
  totals: usageTotals,
  data: z.array(modelUsage),
});
export type UsageByModel = z.output<typeof usageByModel>;

export const apiKeyUsage = z.strictObject({
  key_public_id: z.string().regex(/^key_[0-9a-z]{26}$/),
  name: z.string(),
  status: z.enum(['active', 'expired', 'revoked']),
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
