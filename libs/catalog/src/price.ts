import { type NanoUsd, type PicoUsd, priceOfTokens, roundUpToNano, toPicoUsd } from '@farebox/money';
import type pg from 'pg';

/** In pico-dollars a token. A kind without a price of its own has the price of the tokens that it is a part of. */
export interface TokenPrices {
  inputPricePico: PicoUsd;
  outputPricePico: PicoUsd;
  /** Of prompt tokens that the upstream read from its cache. */
  cachedInputPricePico?: PicoUsd | undefined;
  /** Of prompt tokens that the upstream wrote to its cache. */
  cacheWritePricePico?: PicoUsd | undefined;
  reasoningPricePico?: PicoUsd | undefined;
}

/** The prices of a whole request whose prompt is longer than this. */
export interface PriceStep extends TokenPrices {
  abovePromptTokens: number;
}

export interface Price extends TokenPrices {
  /** In pico-dollars, of each image of the prompt, beside its tokens. */
  imagePricePico?: PicoUsd | undefined;
  /** In pico-dollars, of each request that is charged. */
  requestPricePico?: PicoUsd | undefined;
  /** From the shortest prompt to the longest. */
  steps?: readonly PriceStep[] | undefined;
}

export interface PriceVersion extends Price {
  id: string;
}

/** What is not there was not reported. */
export interface TokenUsage {
  /** With those that were read from a cache or written to one. */
  promptTokens: number;
  /** With those of reasoning. */
  completionTokens: number;
  cachedTokens?: number | undefined;
  cacheWriteTokens?: number | undefined;
  reasoningTokens?: number | undefined;
}

/** What a request is charged for. */
export interface PricedUsage extends TokenUsage {
  /** Images of the prompt. */
  images?: number | undefined;
}

export type CostKind =
  'input' | 'cached_input' | 'cache_write' | 'output' | 'reasoning' | 'image' | 'request';

/** So many of a kind, at a price. Together the lines of a usage are its cost, which is rounded up once. */
export interface CostLine {
  kind: CostKind;
  count: number;
  pricePico: PicoUsd;
}

/** What a usage is charged for, kind by kind; only kinds of which there is any. */
export function costLines(price: Price, usage: PricedUsage): CostLine[] {
  const { promptTokens, completionTokens, images = 0 } = usage;
  const { cachedTokens = 0, cacheWriteTokens = 0, reasoningTokens = 0 } = usage;
  const of = pricesAt(price, promptTokens);
  const lines: CostLine[] = [];
  // On the way of every request, several times: nothing is made for kinds of which there is none.
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

/** What a usage costs, rounded up to a whole nano-dollar once, at the end. */
export function costOf(price: Price, usage: PricedUsage): NanoUsd {
  let sum = 0n;
  for (const { count, pricePico } of costLines(price, usage)) sum += priceOfTokens(count, pricePico);
  return roundUpToNano(sum);
}

function pricedPico(count: number, pricePico: PicoUsd | undefined): bigint {
  return count > 0 && pricePico !== undefined ? priceOfTokens(count, pricePico) : 0n;
}

/** The prices of the highest step that a prompt is over. */
function pricesAt(price: Price, promptTokens: number): TokenPrices {
  return price.steps?.findLast((step) => promptTokens > step.abovePromptTokens) ?? price;
}

interface RequestBounds {
  /** Never under the true count of the prompt's tokens. */
  promptTokensBound: number;
  /** Output tokens of one choice, as sent upstream. */
  maxOutputTokens: number;
  /** Number of choices. */
  n: number;
  /** Images of the prompt. */
  images?: number | undefined;
}

/**
 * The most that a request can cost: each token of the dearest kind, at the dearest step that the prompt can reach. A
 * step may be cheaper than the one before, so that a shorter prompt costs more. Source: docs/design/decisions.md.
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

/** Prices as the table `price_version` has them. Amounts are text on the way: a driver may read `bigint` as a float. */

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

/** The columns of a price, of the table's alias `p`. */
export const PRICE_COLUMNS = `p.id AS price_version_id, ${NAMES.map((name) => `p.${name}::text`).join(', ')}, p.steps`;

/** The prices alone, as they are compared. */
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

/** A version of a model's prices, for whoever has only what was used. */
export interface PricedVersion {
  modelId: string;
  costOf: (usage: PricedUsage) => NanoUsd;
}

/** Versions of prices by their ids; those that do not exist are left out. */
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

/** Prices that were in force from a time on. */
export interface DatedPriceVersion extends PriceVersion {
  startsAt: Date;
}

/** The prices that a request was admitted at; undefined if there are none of that id. */
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
