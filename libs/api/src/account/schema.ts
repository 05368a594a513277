import { type PicoUsd, priceOfTokens, roundUpToNano, toDecimalUsd } from '@farebox/money';
import { z } from 'zod';
import { nameText, positiveUsdAmount, unixSeconds, usdAmount } from '../fields';

const count = z.int().min(0);

/** `GET /v1/account`: who the account is, what it may do, and what is left of that. */
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
  low_balance_threshold: usdAmount
    .nullable()
    .describe('The owner is mailed once when less than this is available. Null: they are not.'),
});
export type AccountRecord = z.output<typeof accountRecord>;

/** `PATCH /v1/account`. What is left out stays; `null` takes the threshold away. */
export const updateAccountBody = z
  .strictObject({
    name: nameText.optional(),
    low_balance_threshold: positiveUsdAmount().nullable().optional(),
  })
  .refine((body) => Object.keys(body).length > 0, {
    message: 'must have something to change: name or low_balance_threshold',
  });

const MODALITIES = ['text', 'image', 'file'] as const;

const tokenPricing = {
  input: usdAmount,
  output: usdAmount,
  cached_input: usdAmount.optional().describe('Of prompt tokens from a cache. Without it: that of `input`.'),
  cache_write: usdAmount.optional().describe('Of prompt tokens into a cache. Without it: that of `input`.'),
  reasoning: usdAmount.optional().describe('Of reasoning tokens. Without it: that of `output`.'),
};

/** What a model costs and takes: the same in both lists of models. */
export const modelTerms = {
  kind: z.enum(['chat', 'embeddings']).describe('What the model is for.'),
  pricing: z
    .strictObject({
      ...tokenPricing,
      image: usdAmount.optional().describe('Of an image of the prompt, beside its tokens.'),
      request: usdAmount.optional().describe('Of a request that is charged.'),
      steps: z
        .array(z.strictObject({ above_prompt_tokens: z.int().min(1), ...tokenPricing }))
        .optional()
        .describe('A request whose prompt is longer than this is priced by the step, all of it.'),
      currency: z.literal('usd'),
      unit: z.literal('1M tokens'),
    })
    .describe('The prices of a million tokens that are in force now.'),
  context_window: z
    .int()
    .min(1)
    .describe(
      'The most tokens that a prompt and its completion may have together; for embeddings, those of one input.',
    ),
  max_output_tokens: z
    .int()
    .min(0)
    .describe(
      'The most that a completion can have. A higher `max_tokens` is lowered to it. 0: embeddings have none.',
    ),
  input_modalities: z.array(z.enum(MODALITIES)),
};

const accountModel = z.strictObject({
  object: z.literal('account_model'),
  id: z.string(),
  owned_by: z.string(),
  ...modelTerms,
});

/** `GET /v1/account/models`. */
export const accountModelList = z.strictObject({ object: z.literal('list'), data: z.array(accountModel) });
export type AccountModelList = z.output<typeof accountModelList>;

interface OfferedPrices {
  inputPricePico: PicoUsd;
  outputPricePico: PicoUsd;
  cachedInputPricePico?: PicoUsd | undefined;
  cacheWritePricePico?: PicoUsd | undefined;
  reasoningPricePico?: PicoUsd | undefined;
}

/** A model of the catalogue, as far as its terms go. */
interface OfferedModel {
  kind: 'chat' | 'embeddings';
  price: OfferedPrices & {
    imagePricePico?: PicoUsd | undefined;
    requestPricePico?: PicoUsd | undefined;
    steps?: readonly (OfferedPrices & { abovePromptTokens: number })[] | undefined;
  };
  contextWindow: number;
  maxOutputTokens: number;
  modalities: readonly (typeof MODALITIES)[number][];
}

const PRICED_TOKENS = 1_000_000;

/** A million tokens at a price, in dollars. A price has six decimal places, so nothing is rounded. */
function toPrice(price: PicoUsd): string {
  return toDecimalUsd(roundUpToNano(priceOfTokens(PRICED_TOKENS, price)));
}

function toTokenPricing(prices: OfferedPrices) {
  const {
    cachedInputPricePico: cached,
    cacheWritePricePico: written,
    reasoningPricePico: reasoning,
  } = prices;
  return {
    input: toPrice(prices.inputPricePico),
    output: toPrice(prices.outputPricePico),
    ...(cached === undefined ? {} : { cached_input: toPrice(cached) }),
    ...(written === undefined ? {} : { cache_write: toPrice(written) }),
    ...(reasoning === undefined ? {} : { reasoning: toPrice(reasoning) }),
  };
}

function toPricing(price: OfferedModel['price']) {
  const { imagePricePico: image, requestPricePico: request, steps = [] } = price;
  return {
    ...toTokenPricing(price),
    ...(image === undefined ? {} : { image: toDecimalUsd(roundUpToNano(image)) }),
    ...(request === undefined ? {} : { request: toDecimalUsd(roundUpToNano(request)) }),
    ...(steps.length > 0 && {
      steps: steps.map((step) => ({
        above_prompt_tokens: step.abovePromptTokens,
        ...toTokenPricing(step),
      })),
    }),
    currency: 'usd' as const,
    unit: '1M tokens' as const,
  };
}

export function toModelTerms({ kind, price, contextWindow, maxOutputTokens, modalities }: OfferedModel) {
  return {
    kind,
    pricing: toPricing(price),
    context_window: contextWindow,
    max_output_tokens: maxOutputTokens,
    input_modalities: [...modalities],
  };
}

/** `GET /v1/service`: whose service it is, and where it is reached. */
export const serviceRecord = z.strictObject({
  object: z.literal('service'),
  name: z.string().describe('What the operator calls it.'),
  logo_url: z.string().nullable(),
  accent_color: z
    .string()
    .regex(/^#[0-9a-f]{6}$/)
    .nullable()
    .describe('Of buttons and links, if the operator has one.'),
  support_email: z.string().nullable().describe('Whom customers ask.'),
  base_url: z.string().describe('Where the API is reached: the base of `/v1`.'),
  version: z.string().describe('Of the software.'),
});
export type ServiceRecord = z.output<typeof serviceRecord>;
