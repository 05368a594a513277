import { ERROR_CODES, type ErrorCode, USAGE_OUTCOMES } from '@farebox/errors';
import { PRICED_KINDS, WHOLE_OF, type PricedKind, type TokenKind } from '@farebox/money';
import { z } from 'zod';
import { currency, toldError, unixSeconds, usdAmount } from '../fields';
import { ledgerProof } from '../ledger-roots/schema';

const count = z.int().min(0);

const COST_UNITS = ['1M tokens', 'image', 'request'] as const;

const within = (whole: 'prompt' | 'completion'): PricedKind[] =>
  (Object.keys(PRICED_KINDS) as TokenKind[]).flatMap((kind) =>
    WHOLE_OF[kind] === whole ? [PRICED_KINDS[kind]] : [],
  );

const costLine = z.strictObject({
  kind: z
    .enum(['input', ...within('prompt'), 'output', ...within('completion'), 'image', 'request', 'over_hold'])
    .describe(
      '`input` and `output` are what is left of the prompt and of the completion beside their other kinds. `over_hold`: ' +
        'what the tokens cost beyond what was held, which is not charged.',
    ),
  count: count.describe('Tokens, images, or 1.'),
  price: usdAmount.nullable().describe('Of one `unit`.'),
  unit: z.enum(COST_UNITS).nullable(),
  cost: usdAmount.describe('Negative for `over_hold`.'),
});

const priceVersion = z
  .strictObject({
    id: z.string().regex(/^price_[0-9a-z]{26}$/),
    starts_at: unixSeconds.describe('From when these prices were in force.'),
  })
  .describe('The prices that are charged: those that were in force when the request was admitted.');

const hold = z.strictObject({
  amount: usdAmount.describe(
    'The most that the request can cost. It is on the balance, and cannot be spent.',
  ),
  since: unixSeconds,
  ends_by: unixSeconds
    .nullable()
    .describe('By then it is charged, released or in review; null if the model is not served any more.'),
});

const review = z.strictObject({
  state: z.enum(['open', 'closed']),
  reason: z.enum(['gateway_lost', 'usage_over_hold', 'usage_implausible', 'charge_failed', 'response_lost']),
  message: z.string().describe('What it is about, for people. It may be reworded at any time.'),
  opened_at: unixSeconds,
  closed_at: unixSeconds.nullable(),
});

const STATES = ['running', 'charged', 'refunded', 'in_review', 'released', 'refused', 'failed'] as const;

/** `GET /v1/requests/{request_id}`: the state of a request. */
export const receipt = z.strictObject({
  object: z.literal('request'),
  id: z
    .string()
    .regex(/^chatcmpl-[0-9a-z]{26}$/)
    .describe('The id of the completion, if there was one.'),
  request_id: z.string().describe('The `X-Service-Request-Id` of the request.'),
  state: z
    .enum(STATES)
    .describe(
      '`running`: it is under way, and `hold` says what is held. `charged`: it cost `cost`. `refunded`: that was given ' +
        'back. `in_review`: `cost` was measured and is reserved until `review` is closed; then it is charged or released. ' +
        '`released`: the hold was given back without a charge. `refused`: it did not run. `failed`: nothing was ' +
        'delivered. The last three cost nothing.',
    ),
  model: z.string().nullable(),
  key_public_id: z.string().regex(/^key_[0-9a-z]{26}$/),
  hold: hold.nullable().describe('Only while it runs.'),
  usage: z
    .strictObject({ prompt_tokens: count, completion_tokens: count, total_tokens: count })
    .nullable()
    .describe('What was measured; null if it runs, and if it cost nothing.'),
  cost: usdAmount.describe('In all. Refunds are not taken off.'),
  refunded: usdAmount,
  currency,
  costs: z
    .array(costLine)
    .describe(
      'The cost of each kind, which together are `cost` exactly. The sum is rounded once, up to a billionth of a dollar: ' +
        'each line is rounded down, and the last kind has the rest. Empty if the prices are not known any more.',
    ),
  price_version: priceVersion.nullable(),
  outcome: z.enum(USAGE_OUTCOMES).nullable().describe('How a request ended that was measured.'),
  streamed: z.boolean().nullable().describe('Null while it runs.'),
  estimated: z.boolean().describe("The tokens are the service's own count: the model reported none."),
  latency_ms: count.nullable(),
  first_token_ms: count.nullable(),
  ended_at: unixSeconds
    .nullable()
    .describe('When it was charged, measured, released, or ended. Null while it runs.'),
  error_code: z
    .enum(Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]])
    .nullable()
    .describe('What a refused or failed request was answered with; null if the client had gone before.'),
  ...toldError,
  http_status: z.int().nullable().describe('The status of that response.'),
  review: review.nullable(),
  proof: ledgerProof
    .nullable()
    .describe('That the charge is in the ledger. Null if nothing was charged, and until its day has a root.'),
});
export type Receipt = z.output<typeof receipt>;
export type ReceiptCostLine = z.output<typeof costLine>;
