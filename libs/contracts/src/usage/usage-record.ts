import { z } from 'zod';
import { listPage } from '../list-page';
import { currency, usdAmount } from '../money';
import { unixSeconds } from '../time';

const count = z.int().min(0);

/** A charged request. */
export const usageRecord = z.strictObject({
  object: z.literal('usage'),
  id: z
    .string()
    .regex(/^chatcmpl-[0-9a-z]{26}$/)
    .describe('The id that the completion was answered with.'),
  request_id: z.string().describe('The `X-Service-Request-Id` of the request.'),
  model: z.string(),
  key_public_id: z.string().regex(/^key_[0-9a-z]{26}$/),
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  cost: usdAmount.describe('What was charged. A refund is a transaction of its own.'),
  currency,
  outcome: z.enum(['completed', 'client_gone', 'upstream_failed', 'upstream_timeout', 'shutdown']),
  streamed: z.boolean(),
  estimated: z.boolean().describe("The tokens are the service's own count: the model reported none."),
  latency_ms: count.describe('From the arrival of the request to the end of the answer.'),
  first_token_ms: count.nullable().describe('To the first token of a stream; null where it is not known.'),
  created_at: unixSeconds.describe('When it was charged.'),
});
export type UsageRecord = z.output<typeof usageRecord>;

export const usageList = listPage(usageRecord);
