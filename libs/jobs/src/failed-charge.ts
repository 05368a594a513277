import type { NanoUsd } from '@farebox/money';
import { z } from 'zod';

const count = z.int().min(0);

/** An amount is a decimal string in the queue, and a bigint for everybody else. */
const amountNano = z.codec(
  z.string().regex(/^\d{1,19}$/),
  z.custom<NanoUsd>((value) => typeof value === 'bigint'),
  { decode: (text) => BigInt(text) as NanoUsd, encode: String },
);

/**
 * A charge that a gateway could not record: the hold, and what was measured of its request. The shape is closed, so that
 * nothing of a prompt or an answer can get into a queue.
 */
export const failedCharge = z.strictObject({
  holdId: z.uuid(),
  accountId: z.uuid(),
  usage: z.strictObject({
    measuredCostNano: amountNano,
    promptTokens: count,
    completionTokens: count,
    outcome: z.enum(['completed', 'client_gone', 'upstream_failed', 'upstream_timeout', 'shutdown']),
    streamed: z.boolean(),
    estimated: z.boolean(),
    latencyMs: count,
    firstTokenMs: count.exactOptional(),
  }),
});
