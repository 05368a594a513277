import { fromPublicId } from '@farebox/ids';
import { z } from 'zod';
import { pageParameters } from '../list-page';
import { endAfterStart, timeRangeParameters } from '../time';

/** What a filter is answered with that names nothing of the account's: the same for a foreign key and a missing one. */
export const USAGE_FILTER_MESSAGES = {
  key_public_id: 'must be the id of an API key of yours',
  model: 'must be the id of a model that you may use or have used',
} as const;

const MODEL_ID = /^[\x21-\x7e]{1,200}$/;

const filters = {
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

/** `GET /v1/usage`. `after` is the id of the last request of the page before. */
export const listUsageQuery = z
  .strictObject({ ...pageParameters('chatcmpl'), ...timeRangeParameters, ...filters })
  .refine(...endAfterStart);
export type ListUsageQuery = z.output<typeof listUsageQuery>;

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
export type UsageSummaryQuery = z.output<typeof usageSummaryQuery>;

/** `GET /v1/usage/by-model` and `GET /v1/usage/by-api-key`. */
export const usageByGroupQuery = z
  .strictObject({ ...timeRangeParameters, ...filters })
  .refine(...endAfterStart);
export type UsageByGroupQuery = z.output<typeof usageByGroupQuery>;
