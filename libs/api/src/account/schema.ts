import { z } from 'zod';
import { keyName, nameText, positiveUsdAmount, unixSeconds, usdAmount } from '../fields';
import { modelTerms } from '../models/schema';

/** Those of the texts in libs/texts. */
const language = z.enum(['en', 'de']);

const count = z.int().min(0);

/** `GET /v1/account`: the account's identity, its rights, and the rest of its limits. */
export const accountRecord = z.strictObject({
  object: z.literal('account'),
  account_id: z.string().regex(/^acct_[0-9a-z]{26}$/),
  name: z.string().nullable(),
  email: z.string(),
  status: z.enum(['none', 'invited', 'active', 'suspended']).describe('The invite status.'),
  created_at: unixSeconds,
  caps: z
    .strictObject({ daily_spend: usdAmount.nullable(), daily_requests: count.nullable() })
    .describe('The most that the account may spend and request in a UTC day, with all of its keys together.'),
  today: z
    .strictObject({
      spend: usdAmount.describe('What was charged and what is held for requests under way.'),
      spend_left: usdAmount.nullable(),
      requests: count,
      requests_left: count.nullable(),
      resets_at: unixSeconds.describe('When the next UTC day begins.'),
    })
    .describe(
      'The current UTC day as the caps count it: a request counts on the day on which it was admitted.',
    ),
  month: z
    .strictObject({ spend: usdAmount, requests: count, starts_at: unixSeconds })
    .describe('What was charged in the current UTC month. Refunds are not taken off.'),
  request_limits: z
    .strictObject({
      requests: count.describe('Requests of an API key in a window.'),
      window_seconds: z.number().positive().describe('The length of the window, which slides.'),
      concurrent: count.describe('Requests of an API key at once.'),
    })
    .describe('What each API key is held to.'),
  language: language
    .nullable()
    .describe(
      "Of the console and the mails. Null: that of the owner's browser. Errors are always in English.",
    ),
  low_balance_threshold: usdAmount
    .nullable()
    .describe('The owner is mailed once when less than this is available. Null: they are not.'),
});
export type AccountRecord = z.output<typeof accountRecord>;

export const accountLimit = z.strictObject({
  object: z.literal('account_limit'),
  measure: z.enum(['requests', 'tokens', 'concurrency', 'spend']),
  per: z
    .enum(['minute', 'five_hours', 'day', 'week', 'month'])
    .nullable()
    .describe(
      'The window, in UTC: a week begins on Monday, five hours at multiples of five hours since 1970. Null for concurrency.',
    ),
  key_public_id: z
    .string()
    .nullable()
    .describe('The API key that it is for. Null: for all of them together.'),
  key_name: keyName,
  model: z.string().nullable().describe('The model that it is for. Null: for all of them together.'),
  limit: z.union([count, usdAmount]).describe('US dollars for `spend`.'),
  used: z.union([count, usdAmount]).describe('What was used, and the most that requests under way can use.'),
  left: z.union([count, usdAmount]),
  resets_at: unixSeconds.nullable().describe('When the window ends. Null for concurrency.'),
});

/** `GET /v1/account/limits`: what operators have set, beside the request limits and the daily caps. */
export const accountLimitList = z.strictObject({ object: z.literal('list'), data: z.array(accountLimit) });
export type AccountLimitList = z.output<typeof accountLimitList>;

/** `PATCH /v1/account`. Missing fields keep their value; `null` removes the language or the threshold. */
export const updateAccountBody = z
  .strictObject({
    name: nameText.optional(),
    language: language.nullable().optional(),
    low_balance_threshold: positiveUsdAmount().nullable().optional(),
  })
  .refine((body) => Object.keys(body).length > 0, {
    message: 'must have something to change: name, language or low_balance_threshold',
  });

const accountModel = z.strictObject({
  object: z.literal('account_model'),
  id: z.string(),
  owned_by: z.string(),
  allowed_api_keys: z.int().min(0).describe('How many of the active API keys may use it by their own lists.'),
  ...modelTerms,
});

/** `GET /v1/account/models`. */
export const listAccountModelsQuery = z.strictObject({
  only: z
    .literal('cheapest_chat', 'must be cheapest_chat')
    .optional()
    .describe(
      'Only the model for a first request: the cheapest chat model of those that most of the active API keys may use. The list is empty if there is none.',
    ),
});
export const accountModelList = z.strictObject({
  object: z.literal('list'),
  data: z.array(accountModel),
  active_api_keys: z.int().min(0).describe('How many API keys of the account are active.'),
});
export type AccountModelList = z.output<typeof accountModelList>;
