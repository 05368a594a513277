import { type PicoUsd, priceOfTokens, roundUpToNano, toDecimalUsd } from '@farebox/money';
import { z } from 'zod';
import { usdAmount } from '../fields';

const MODALITIES = ['text', 'image', 'file'] as const;

const tokenPricing = {
  input: usdAmount,
  output: usdAmount,
  cached_input: usdAmount.optional().describe('Of prompt tokens from a cache. Without it: that of `input`.'),
  cache_write: usdAmount.optional().describe('Of prompt tokens into a cache. Without it: that of `input`.'),
  reasoning: usdAmount.optional().describe('Of reasoning tokens. Without it: that of `output`.'),
};

/** A model's prices and limits: the same in both lists of models. */
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

/** Response of `GET /v1/models/{model}`. */
export const model = z.strictObject({
  id: z.string(),
  object: z.literal('model'),
  created: z.int(),
  owned_by: z.string(),
  ...modelTerms,
});

/** Response of `GET /v1/models`. */
export const modelList = z.strictObject({ object: z.literal('list'), data: z.array(model) });

export type ModelList = z.output<typeof modelList>;

interface OfferedPrices {
  inputPricePico: PicoUsd;
  outputPricePico: PicoUsd;
  cachedInputPricePico?: PicoUsd | undefined;
  cacheWritePricePico?: PicoUsd | undefined;
  reasoningPricePico?: PicoUsd | undefined;
}

/** The terms of a model in the catalogue. */
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
