import {
  type KindPriceKey,
  type NanoUsd,
  PRICED_KINDS,
  type PricedKind,
  type PicoUsd,
  priceKeyOf,
  priceOfTokens,
  roundUpToNano,
  type TokenKind,
  toPicoUsd,
  WHOLE_OF,
} from '@farebox/money';
import type pg from 'pg';

export type KindPriceField = `${PricedKind}_price`;

interface KindPrice {
  kind: TokenKind;
  whole: (typeof WHOLE_OF)[TokenKind];
  name: PricedKind;
  field: KindPriceField;
  key: KindPriceKey;
}

/** Each kind of tokens with a price of its own, in the order in which costs are listed. */
export const KIND_PRICES: readonly KindPrice[] = (
  Object.entries(PRICED_KINDS) as [TokenKind, PricedKind][]
).map(([kind, name]) => ({
  kind,
  whole: WHOLE_OF[kind],
  name,
  field: `${name}_price`,
  key: priceKeyOf(name),
}));

const kindsIn = (whole: KindPrice['whole']): readonly KindPrice[] =>
  KIND_PRICES.filter((kind) => kind.whole === whole);
const KINDS_IN = { prompt: kindsIn('prompt'), completion: kindsIn('completion') };

/** Pico-dollars per token. A kind without its own price has the price of the count that contains it. */
export interface TokenPrices extends Partial<Record<KindPriceKey, PicoUsd | undefined>> {
  inputPricePico: PicoUsd;
  outputPricePico: PicoUsd;
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
export interface TokenUsage extends Partial<Record<TokenKind, number | undefined>> {
  /** Including tokens read from or written to a cache. */
  promptTokens: number;
  /** Including reasoning tokens. */
  completionTokens: number;
}

/** The usage that a request is charged for. */
export interface PricedUsage extends TokenUsage {
  /** Images of the prompt. */
  images?: number | undefined;
}

export type CostKind = PricedKind | 'input' | 'output' | 'image' | 'request';

/** A count of one kind and its price. The lines of a usage add up to its cost, which is rounded up once. */
export interface CostLine {
  kind: CostKind;
  count: number;
  pricePico: PicoUsd;
}

/** The charged usage by kind; kinds with a count of zero are left out. */
export function costLines(price: Price, usage: PricedUsage): CostLine[] {
  const { promptTokens, completionTokens, images = 0 } = usage;
  const of = pricesAt(price, promptTokens);
  const lines: CostLine[] = [];
  // Runs several times per request, so kinds with a count of zero allocate nothing.
  const add = (kind: CostKind, count: number, pricePico: PicoUsd | undefined): void => {
    if (count > 0 && pricePico !== undefined) lines.push({ kind, count, pricePico });
  };
  const addParts = (name: 'input' | 'output', kinds: readonly KindPrice[], pricePico: PicoUsd): void => {
    let rest = name === 'input' ? promptTokens : completionTokens;
    for (const { kind } of kinds) rest -= usage[kind] ?? 0;
    add(name, rest, pricePico);
    for (const one of kinds) add(one.name, usage[one.kind] ?? 0, of[one.key] ?? pricePico);
  };
  addParts('input', KINDS_IN.prompt, of.inputPricePico);
  addParts('output', KINDS_IN.completion, of.outputPricePico);
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
export function pricesAt(price: Price, promptTokens: number): TokenPrices {
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
      priceOfTokens(promptTokens, dearest(prices, prices.inputPricePico, KINDS_IN.prompt)) +
      priceOfTokens(maxOutputTokens * n, dearest(prices, prices.outputPricePico, KINDS_IN.completion))
    );
  });
  const others = pricedPico(images, price.imagePricePico) + pricedPico(1, price.requestPricePico);
  return roundUpToNano(costs.reduce((most, cost) => (cost > most ? cost : most)) + others);
}

function dearest(prices: TokenPrices, plain: PicoUsd, kinds: readonly KindPrice[]): PicoUsd {
  return kinds.reduce((most, { key }) => {
    const price = prices[key] ?? most;
    return price > most ? price : most;
  }, plain);
}

/** Price columns of `price_version`. Read as text: a driver may read `bigint` as a float. */

type AmountColumn =
  `${KindPriceField | 'input_price' | 'output_price' | 'image_price' | 'request_price'}_pico`;
type AmountKey = Exclude<keyof Price, 'steps'>;
const AMOUNTS = {
  input_price_pico: 'inputPricePico',
  output_price_pico: 'outputPricePico',
  ...Object.fromEntries(KIND_PRICES.map(({ field, key }) => [`${field}_pico`, key])),
  image_price_pico: 'imagePricePico',
  request_price_pico: 'requestPricePico',
} as Record<AmountColumn, AmountKey>;
const NAMES = Object.keys(AMOUNTS) as (keyof typeof AMOUNTS)[];

/** The columns of a price, with the table alias `p`. */
export const PRICE_COLUMNS = `p.id AS price_version_id, ${NAMES.map((name) => `p.${name}::text`).join(', ')}, p.steps`;

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

/** Prices by their columns. Amounts are texts: JSON has no `bigint`. */
export function toPriceColumns({ steps = [], ...price }: Price): Record<string, unknown> {
  return {
    ...Object.fromEntries(NAMES.map((name) => [name, price[AMOUNTS[name]]?.toString()])),
    steps: steps.map(asTexts),
  };
}

/** For JSON, which has no `bigint`. */
export function asTexts(prices: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(prices).flatMap(([key, value]: [string, unknown]) =>
      value === undefined ? [] : [[key, typeof value === 'bigint' ? String(value) : value]],
    ),
  );
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

/** The prices of models that were in force at some time of a period, by model, oldest first. */
export async function readPricesOfPeriod(
  pool: Pick<pg.Pool, 'query'>,
  modelIds: readonly string[],
  { from, until }: { from: Date; until: Date },
): Promise<Map<string, DatedPriceVersion[]>> {
  const { rows } = await pool.query<PriceRow & { model_id: string; starts_at: Date }>(
    `SELECT ${PRICE_COLUMNS}, p.model_id, p.starts_at FROM price_version p
     WHERE p.model_id = ANY ($1) AND p.starts_at < $3
       AND NOT EXISTS (SELECT FROM price_version q
                       WHERE q.model_id = p.model_id AND q.starts_at > p.starts_at AND q.starts_at <= $2)
     ORDER BY p.model_id, p.starts_at`,
    [modelIds, from, until],
  );
  const byModel = new Map<string, DatedPriceVersion[]>();
  for (const row of rows) {
    const version = { ...toPriceVersion(row), startsAt: row.starts_at };
    byModel.set(row.model_id, [...(byModel.get(row.model_id) ?? []), version]);
  }
  return byModel;
}
