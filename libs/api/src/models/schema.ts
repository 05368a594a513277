import {
  type KindPriceKey,
  type PicoUsd,
  PRICED_KINDS,
  type PricedKind,
  priceKeyOf,
  priceOfTokens,
  roundUpToNano,
  type TokenKind,
  toDecimalUsd,
  WHOLE_OF,
} from '@farebox/money';
import { z } from 'zod';
import { usdAmount } from '../fields';

const MODALITIES = ['text', 'image', 'file'] as const;

const WORDS: Partial<Record<TokenKind, string>> = {
  cachedTokens: 'prompt tokens from a cache',
  cacheWriteTokens: 'prompt tokens into a cache',
};

const KINDS = Object.entries(PRICED_KINDS) as [TokenKind, PricedKind][];

function byPricedKind<Value>(
  valueOf: (kind: TokenKind, name: PricedKind) => Value,
): Record<PricedKind, Value> {
  return Object.fromEntries(KINDS.map(([kind, name]) => [name, valueOf(kind, name)])) as Record<
    PricedKind,
    Value
  >;
}

const tokenPricing = {
  input: usdAmount,
  output: usdAmount,
  ...byPricedKind((kind, name) => {
    const plain = WHOLE_OF[kind] === 'prompt' ? 'input' : 'output';
    return usdAmount
      .optional()
      .describe(`Of ${WORDS[kind] ?? `${name} tokens`}. Without it: that of \`${plain}\`.`);
  }),
};

/** The prices of a million tokens. */
export const pricing = z.strictObject({
  ...tokenPricing,
  image: usdAmount.optional().describe('Of an image of the prompt, beside its tokens.'),
  request: usdAmount.optional().describe('Of a request that is charged.'),
  steps: z
    .array(z.strictObject({ above_prompt_tokens: z.int().min(1), ...tokenPricing }))
    .optional()
    .describe("If a request's prompt is longer than this, the step's prices apply to the whole request."),
  currency: z.literal('usd'),
  unit: z.literal('1M tokens'),
});

/** A model's prices and limits: the same in both lists of models. */
export const modelTerms = {
  kind: z.enum(['chat', 'embeddings']).describe('What the model is for.'),
  pricing: pricing.describe('The prices of a million tokens that are in force now.'),
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

interface OfferedPrices extends Partial<Record<KindPriceKey, PicoUsd | undefined>> {
  inputPricePico: PicoUsd;
  outputPricePico: PicoUsd;
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
  return {
    input: toPrice(prices.inputPricePico),
    output: toPrice(prices.outputPricePico),
    ...(Object.fromEntries(
      KINDS.flatMap(([, name]) => {
        const price = prices[priceKeyOf(name)];
        return price === undefined ? [] : [[name, toPrice(price)]];
      }),
    ) as Partial<Record<PricedKind, string>>),
  };
}

export function toPricing(price: OfferedModel['price']) {
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
