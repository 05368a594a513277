import { z } from 'zod';
import { accountLimit } from '../account/schema';
import { currency, unixSeconds, usdAmount } from '../fields';

const count = z.int().min(0);

/** The endpoints whose requests can be quoted, by the names of their bodies. */
export const QUOTED_WIRES = ['chat', 'responses', 'messages', 'embeddings'] as const;

const LENGTHS = /^\d{1,9}(?:,\d{1,9}){0,9}$/;
const LENGTHS_MESSAGE = 'must be one to ten numbers of tokens, like 100,500,2000';

/** `POST /v1/quotes`. */
export const quoteQuery = z.strictObject({
  wire: z
    .enum(QUOTED_WIRES, `must be one of ${QUOTED_WIRES.join(', ')}`)
    .default('chat')
    .describe('Of which endpoint the body is a request: `chat` of `/v1/chat/completions`, and so on.'),
  output_tokens: z
    .string(LENGTHS_MESSAGE)
    .regex(LENGTHS, LENGTHS_MESSAGE)
    .transform((text) => text.split(',').map(Number))
    .optional()
    .describe('Lengths of a completion, in tokens of each choice, whose cost is wanted: `100,500,2000`.'),
});

const spending = {
  limit: usdAmount,
  spent: usdAmount,
  held: usdAmount.describe('By requests that run and by reviews. It counts as spent.'),
  left: usdAmount,
  opens_at: unixSeconds.describe('When it begins again.'),
};

/** A limit that the operator has set, as `GET /v1/account/limits` lists it. */
const policy = z.strictObject({
  measure: accountLimit.shape.measure,
  per: accountLimit.shape.per,
  of: z
    .enum(['account', 'key'])
    .describe('Whose requests it counts: of all keys of the account, or of this key.'),
  model: accountLimit.shape.model,
  limit: accountLimit.shape.limit,
  used: accountLimit.shape.used,
  needed: accountLimit.shape.limit.describe('The most that this request can use.'),
  left: accountLimit.shape.left,
  resets_at: accountLimit.shape.resets_at,
});

export const quote = z.strictObject({
  object: z.literal('quote'),
  model: z.string(),
  currency,
  maximum_cost: usdAmount.describe(
    'The most that the request can cost, by the bytes of its prompt. So much is held, if there is room for it.',
  ),
  hold: usdAmount.describe(
    'What would be held now: less than `maximum_cost` if there is no room for that, but for what the counted prompt can cost.',
  ),
  prompt_tokens: z.strictObject({
    bound: count.describe('No fewer than the prompt has.'),
    counted: count
      .nullable()
      .describe("As the model's tokenizer counts; null if it has none here, or there was no time for it."),
  }),
  max_output_tokens: count.describe('Of each choice.'),
  choices: z.int().min(1),
  costs: z
    .array(z.strictObject({ output_tokens: count.describe('Of each choice.'), cost: usdAmount }))
    .describe(
      'What the request costs with so much output: of the counted prompt if there is a count, uncached.',
    ),
  binds: z
    .enum([
      'account_day_requests',
      'account_day',
      'account_day_abandoned',
      'key_month',
      'balance',
      'limit_policy',
    ])
    .nullable()
    .describe(
      'What would refuse the request now: the first in this order. Null if it would be admitted. A request limit that is ' +
        'full refuses the quote itself.',
    ),
  limits: z.strictObject({
    balance: z
      .strictObject({
        balance: usdAmount,
        held: usdAmount.describe('By requests that run and by reviews.'),
        left: usdAmount,
        running: count.describe('Requests of the account that run now.'),
      })
      .nullable()
      .describe("Null for a key that does not show the account's limits."),
    key_month: z
      .strictObject(spending)
      .nullable()
      .describe('Of the key; null if it has no limit of its own.'),
    account_day: z
      .strictObject({ ...spending, request_limit: count, requests: count })
      .nullable()
      .describe("Null for a key that does not show the account's limits."),
    policy: policy
      .nullable()
      .describe(
        'The limit that `binds` means by `limit_policy`: of those without room, the one that has room last. Null if none ' +
          "refuses the request, and for a limit of the account if the key does not show the account's limits.",
      ),
  }),
});
export type QuoteRecord = z.output<typeof quote>;
