import {
  fromUsdPerMillionTokens,
  toPicoUsd,
  toUsdPerMillionTokens,
  type KindPriceKey,
  type PicoUsd,
} from '@farebox/money';
import { z } from 'zod';
import {
  asTexts,
  KIND_PRICES,
  type KindPriceField,
  type Price,
  type PriceStep,
  type TokenPrices,
} from './price';

/** Prices as written in the catalogue file, and as JSON in a table. */

function byPriceField<Value>(valueOf: (key: KindPriceKey) => Value): Record<KindPriceField, Value> {
  return Object.fromEntries(KIND_PRICES.map(({ field, key }) => [field, valueOf(key)])) as Record<
    KindPriceField,
    Value
  >;
}

function byPriceKey<Value>(valueOf: (field: KindPriceField) => Value): Record<KindPriceKey, Value> {
  return Object.fromEntries(KIND_PRICES.map(({ field, key }) => [key, valueOf(field)])) as Record<
    KindPriceKey,
    Value
  >;
}

const perMillionTokens = z.string().transform((text, context) => {
  try {
    return fromUsdPerMillionTokens(text);
  } catch {
    context.addIssue(
      'must be dollars per million tokens, from 0 and with at most six decimal places, e.g. 0.15',
    );
    return z.NEVER;
  }
});

/** Below 10,000, so that thousands of images fit into 64 bits. */
const DOLLARS = /^(\d{1,4})(?:\.(\d{1,9}))?$/;

/** Dollars per image or per request. */
const perPiece = z.string().transform((text, context) => {
  const [, whole, fraction = ''] = DOLLARS.exec(text) ?? [];
  if (whole !== undefined) return toPicoUsd(BigInt(whole + fraction.padEnd(9, '0')) * PICO_PER_NANO);
  context.addIssue('must be dollars with at most nine decimal places, e.g. 0.002');
  return z.NEVER;
});

const PICO_PER_NANO = 1_000n;

const tokenPrices = {
  input_price: perMillionTokens,
  output_price: perMillionTokens,
  ...byPriceField(() => perMillionTokens.optional()),
};

const step = z.strictObject({
  above_prompt_tokens: z
    .string()
    .regex(/^[1-9]\d{0,8}$/, 'must be a whole number')
    .transform(Number),
  ...tokenPrices,
});

/** Every price field. */
export const priceFields = {
  ...tokenPrices,
  image_price: perPiece.optional(),
  request_price: perPiece.optional(),
  price_steps: z
    .array(step)
    .max(8)
    .refine(
      (steps) =>
        steps.every((one, at) => one.above_prompt_tokens > (steps[at - 1]?.above_prompt_tokens ?? 0)),
      'must go from the shortest prompt to the longest',
    )
    .optional(),
};

/** A price that is complete on its own. */
export const priceEntry = z.strictObject(priceFields);

export function toPrice(entry: z.output<typeof priceEntry>): Price {
  return {
    ...toTokenPrices(entry),
    imagePricePico: entry.image_price,
    requestPricePico: entry.request_price,
    steps: entry.price_steps?.map((one) => ({
      abovePromptTokens: one.above_prompt_tokens,
      ...toTokenPrices(one),
    })),
  };
}

function toTokenPrices(entry: Omit<z.output<typeof step>, 'above_prompt_tokens'>): TokenPrices {
  return {
    inputPricePico: entry.input_price,
    outputPricePico: entry.output_price,
    ...byPriceKey((field) => entry[field]),
  };
}

/** The names of prices in the file, and their keys. */
export const TOKEN_PRICES = [
  ['input_price', 'inputPricePico'],
  ['output_price', 'outputPricePico'],
  ...KIND_PRICES.map(({ field, key }) => [field, key] as const),
] as const;
export const PIECE_PRICES = [
  ['image_price', 'imagePricePico'],
  ['request_price', 'requestPricePico'],
] as const;

/** The prices of kinds of tokens. */
export const KIND_FIELDS: readonly KindPriceField[] = KIND_PRICES.map(({ field }) => field);

/** The problems of a model's prices, one sentence each. */
export function priceProblems(
  entry: Pick<z.output<typeof priceEntry>, KindPriceField | 'image_price' | 'price_steps'> & {
    id: string;
    context_window: number;
    modalities: readonly string[];
  },
): string[] {
  const problems: string[] = [];
  if (entry.image_price !== undefined && !entry.modalities.includes('image'))
    problems.push('image_price goes with the modality image');
  for (const { above_prompt_tokens: above, ...prices } of entry.price_steps ?? []) {
    if (above >= entry.context_window)
      problems.push(`no prompt is above ${String(above)} tokens: see context_window`);
    // Otherwise a discount would silently end at a step.
    for (const kind of KIND_FIELDS)
      if (entry[kind] !== undefined && prices[kind] === undefined)
        problems.push(`the price step above ${String(above)} needs a ${kind}, as the model has one`);
  }
  return problems.map((problem) => `model ${entry.id}: ${problem}`);
}

/** Keyed by the names in the file; null if a model has no such price. */
export function priceTexts(price: Price): PriceTexts {
  const none = Object.fromEntries(Object.keys(priceFields).map((name) => [name, null]));
  return { ...none, ...toPriceTexts(price) } as PriceTexts;
}

type PriceTexts = Record<'input_price' | 'output_price', string> &
  Record<Exclude<keyof typeof priceFields, 'input_price' | 'output_price'>, string | null>;

/** Only the prices that are set, keyed by the names in the file, in the form that the file accepts. */
export function toPriceTexts(price: Price): Record<string, string> {
  return {
    ...toTokenPriceTexts(price),
    ...Object.fromEntries(
      PIECE_PRICES.flatMap(([name, key]) =>
        price[key] === undefined ? [] : [[name, toDollars(price[key])]],
      ),
    ),
    ...(price.steps && price.steps.length > 0 && { price_steps: price.steps.map(toStepText).join('; ') }),
  };
}

function toTokenPriceTexts(prices: TokenPrices): Record<string, string> {
  return Object.fromEntries(
    TOKEN_PRICES.flatMap(([name, key]) =>
      prices[key] === undefined ? [] : [[name, toUsdPerMillionTokens(prices[key])]],
    ),
  );
}

function toStepText({ abovePromptTokens, ...prices }: PriceStep): string {
  const texts = Object.entries(toTokenPriceTexts(prices)).map(([name, text]) => `${name} ${text}`);
  return `above ${String(abovePromptTokens)}: ${texts.join(', ')}`;
}

/** Prices per image and per request have at most nine decimal places. */
export function toDollars(pricePico: PicoUsd): string {
  const digits = (pricePico / PICO_PER_NANO).toString().padStart(10, '0');
  return `${digits.slice(0, -9)}.${digits.slice(-9)}`.replace(/\.?0+$/, '');
}

/** Pico-dollars as text, since they must not pass through a float. */
type StoredPrice = Record<string, unknown>;

export function toStoredPrice(price: Price): StoredPrice {
  const { steps, ...prices } = price;
  return {
    ...asTexts(prices),
    ...(steps && steps.length > 0 && { steps: steps.map((one) => asTexts(one)) }),
  };
}

/** Reads the output of `toStoredPrice`. Throws on anything else. */
export function fromStoredPrice(stored: unknown): Price {
  return storedPrice.parse(stored);
}

const pico = z
  .string()
  .regex(/^\d{1,19}$/)
  .transform((text) => toPicoUsd(BigInt(text)));
const storedTokenPrices = {
  inputPricePico: pico,
  outputPricePico: pico,
  ...byPriceKey(() => pico.optional()),
};
const storedPrice = z.strictObject({
  ...storedTokenPrices,
  imagePricePico: pico.optional(),
  requestPricePico: pico.optional(),
  steps: z.array(z.strictObject({ abovePromptTokens: z.int().positive(), ...storedTokenPrices })).optional(),
});
