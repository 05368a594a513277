import { type NanoUsd, type PicoUsd, priceOfTokens, roundUpToNano, toPicoUsd } from '@farebox/money';
import type pg from 'pg';

/** Pico-dollars per token. A kind without its own price has the price of the kind that contains it. */
export interface TokenPrices {
  inputPricePico: PicoUsd;
  outputPricePico: PicoUsd;
  /** For prompt tokens that the upstream read from its cache. */
  cachedInputPricePico?: PicoUsd | undefined;
  /** For prompt tokens that the upstream wrote to its cache. */
  cacheWritePricePico?: PicoUsd | undefined;
  reasoningPricePico?: PicoUsd | undefined;
}

/** Prices of the whole request if the prompt is longer than this. */
export interface PriceStep extends TokenPrices {
  abovePromptTokens: number;
}

export interface Price extends TokenPrices {
  /** Pico-dollars per image of the prompt, in addition to its tokens. */
  imagePricePico?: PicoUsd | undefined;
  /** Pico-dollars per charged request. */
  requestPricePico?: PicoUsd | undefined;
  /** From the shortest prompt to the longest. */
  steps?: readonly PriceStep[] | undefined;
}

export interface PriceVersion extends Price {
  id: string;
}

/** A missing count was not reported. */
export interface TokenUsage {
  /** Including tokens read from or written to a cache. */
  promptTokens: number;
  /** Including reasoning tokens. */
  completionTokens: number;
  cachedTokens?: number | undefined;
  cacheWriteTokens?: number | undefined;
  reasoningTokens?: number | undefined;
}

/** The usage that a request is charged for. */
export interface PricedUsage extends TokenUsage {
  /** Images of the prompt. */
  images?: number | undefined;
}

export type CostKind =
  'input' | 'cached_input' | 'cache_write' | 'output' | 'reasoning' | 'image' | 'request';

/** A count of one kind and its price. The lines of a usage add up to its cost, which is rounded up once. */
export interface CostLine {
  kind: CostKind;
  count: number;
  pricePico: PicoUsd;
}

/** The charged usage by kind; kinds with a count of zero are left out. */
export function costLines(price: Price, usage: PricedUsage): CostLine[] {
  const { promptTokens, completionTokens, images = 0 } = usage;
  const { cachedTokens = 0, cacheWriteTokens = 0, reasoningTokens = 0 } = usage;
  const of = pricesAt(price, promptTokens);
  const lines: CostLine[] = [];
  // Runs several times per request, so kinds with a count of zero allocate nothing.
  const add = (kind: CostKind, count: number, pricePico: PicoUsd | undefined): void => {
    if (count > 0 && pricePico !== undefined) lines.push({ kind, count, pricePico });
  };
  add('input', promptTokens - cachedTokens - cacheWriteTokens, of.inputPricePico);
  add('cached_input', cachedTokens, of.cachedInputPricePico ?? of.inputPricePico);
  add('cache_write', cacheWriteTokens, of.cacheWritePricePico ?? of.inputPricePico);
  add('output', completionTokens - reasoningTokens, of.outputPricePico);
  add('reasoning', reasoningTokens, of.reasoningPricePico ?? of.outputPricePico);
  add('image', images, price.imagePricePico);
  add('request', 1, price.requestPricePico);
  return lines;
}

/** The cost of a usage, rounded up to a whole nano-dollar once, at the end. */
export function costOf(price: Price, usage: PricedUsage): NanoUsd {
  let sum = 0n;
  for (const { count, pricePico } of costLines(price, usage)) sum += priceOfTokens(count, pricePico);
  return roundUpToNano(sum);
}

function pricedPico(count: number, pricePico: PicoUsd | undefined): bigint {
  return count > 0 && pricePico !== undefined ? priceOfTokens(count, pricePico) : 0n;
}

/** The prices of the highest step that the prompt exceeds. */
function pricesAt(price: Price, promptTokens: number): TokenPrices {
  return price.steps?.findLast((step) => promptTokens > step.abovePromptTokens) ?? price;
}

interface RequestBounds {
  /** Never below the true count of the prompt's tokens. */
  promptTokensBound: number;
  /** Output tokens per choice, as sent upstream. */
  maxOutputTokens: number;
  /** Number of choices. */
  n: number;
  /** Images of the prompt. */
  images?: number | undefined;
}

/**
 * The most that a request can cost: every token priced as the dearest kind, at the dearest step that the
 * prompt can reach. A step may be cheaper than the one before, so that a shorter prompt costs more. Source:
 * docs/design/decisions.md.
 */
export function maximumCost(price: Price, bounds: RequestBounds): NanoUsd {
  const { promptTokensBound, maxOutputTokens, n, images = 0 } = bounds;
  const steps = price.steps ?? [];
  const longest = [...steps.map((step) => step.abovePromptTokens), promptTokensBound];
  const reachable = [price, ...steps.filter((step) => promptTokensBound > step.abovePromptTokens)];
  const costs = reachable.map((prices, i) => {
    const promptTokens = Math.min(longest[i] ?? promptTokensBound, promptTokensBound);
    return (
      priceOfTokens(promptTokens, dearestInput(prices)) +
      priceOfTokens(maxOutputTokens * n, dearest(prices.outputPricePico, prices.reasoningPricePico))
    );
  });
  const others = pricedPico(images, price.imagePricePico) + pricedPico(1, price.requestPricePico);
  return roundUpToNano(costs.reduce((most, cost) => (cost > most ? cost : most)) + others);
}

function dearestInput({ inputPricePico, cachedInputPricePico, cacheWritePricePico }: TokenPrices): PicoUsd {
  return dearest(dearest(inputPricePico, cachedInputPricePico), cacheWritePricePico);
}

function dearest(price: PicoUsd, other: PicoUsd | undefined): PicoUsd {
  return other !== undefined && other > price ? other : price;
}

/** Price columns of `price_version`. Read as text: a driver may read `bigint` as a float. */

const AMOUNTS = {
  input_price_pico: 'inputPricePico',
  output_price_pico: 'outputPricePico',
  cached_input_price_pico: 'cachedInputPricePico',
  cache_write_price_pico: 'cacheWritePricePico',
  reasoning_price_pico: 'reasoningPricePico',
  image_price_pico: 'imagePricePico',
  request_price_pico: 'requestPricePico',
} as const;
const NAMES = Object.keys(AMOUNTS) as (keyof typeof AMOUNTS)[];

/** The columns of a price, with the table alias `p`. */
export const PRICE_COLUMNS = `p.id AS price_version_id, ${NAMES.map((name) => `p.${name}::text`).join(', ')}, p.steps`;

/** The prices alone, in the form that is compared. */
export const PRICE_VALUES = `${NAMES.join(', ')}, steps`;

export type PriceRow = Record<keyof typeof AMOUNTS, string | null> & {
  price_version_id: string;
  steps: (Record<string, string> & { abovePromptTokens: number })[];
};

export function toPriceVersion(row: PriceRow): PriceVersion {
  const amounts = NAMES.flatMap((name) =>
    row[name] === null ? [] : [[AMOUNTS[name], toPicoUsd(BigInt(row[name]))] as const],
  );
  return {
    id: row.price_version_id,
    ...(Object.fromEntries(amounts) as Pick<Price, 'inputPricePico' | 'outputPricePico'>),
    ...(row.steps.length > 0 && { steps: row.steps.map(toStep) }),
  };
}

function toStep({ abovePromptTokens, ...amounts }: PriceRow['steps'][number]): PriceStep {
  const prices = Object.entries(amounts).map(([name, text]) => [name, toPicoUsd(BigInt(text))] as const);
  return {
    abovePromptTokens,
    ...(Object.fromEntries(prices) as Pick<PriceStep, 'inputPricePico' | 'outputPricePico'>),
  };
}

/** In the order of `PRICE_VALUES`. */
export function toPriceValues({ steps = [], ...price }: Price): (PicoUsd | string | undefined)[] {
  return [
    ...NAMES.map((name) => price[AMOUNTS[name]]),
    JSON.stringify(steps, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
  ];
}

/** A version of a model's prices, for callers that have only the usage. */
export interface PricedVersion {
  modelId: string;
  costOf: (usage: PricedUsage) => NanoUsd;
}

/** Price versions by id; ids that do not exist are left out. */
export async function readPrices(
  client: Pick<pg.ClientBase, 'query'>,
  ids: readonly string[],
): Promise<Map<string, PricedVersion>> {
  const { rows } = await client.query<PriceRow & { model_id: string }>(
    `SELECT ${PRICE_COLUMNS}, p.model_id FROM price_version p WHERE p.id = ANY ($1)`,
    [ids],
  );
  return new Map(
    rows.map((row) => {
      const price = toPriceVersion(row);
      return [price.id, { modelId: row.model_id, costOf: (usage: PricedUsage) => costOf(price, usage) }];
    }),
  );
}

/** Prices with the time from which they applied. */
export interface DatedPriceVersion extends PriceVersion {
  startsAt: Date;
}

/** The prices that a request was admitted at; undefined if the id does not exist. */
export async function findPriceVersion(
  pool: Pick<pg.Pool, 'query'>,
  id: string,
): Promise<DatedPriceVersion | undefined> {
  const { rows } = await pool.query<PriceRow & { starts_at: Date }>({
    name: 'price_version',
    text: `SELECT ${PRICE_COLUMNS}, p.starts_at FROM price_version p WHERE p.id = $1`,
    values: [id],
  });
  const [row] = rows;
  return row && { ...toPriceVersion(row), startsAt: row.starts_at };
}
