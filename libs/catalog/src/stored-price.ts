import { toPicoUsd, type NanoUsd, type PicoUsd } from '@farebox/money';
import type pg from 'pg';
import { costOf, type Price, type PricedUsage, type PriceStep, type PriceVersion } from './price';

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
