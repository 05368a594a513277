import type pg from 'pg';
import type { PriceVersion } from './price';
import { fromStoredPrice } from './price-fields';

/** Prices that were in force from a time on. */
export interface DatedPriceVersion extends PriceVersion {
  startsAt: Date;
}

const PRICE_VERSION = `
  SELECT starts_at, jsonb_strip_nulls(jsonb_build_object(
           'inputPricePico', input_price_pico::text, 'outputPricePico', output_price_pico::text,
           'cachedInputPricePico', cached_input_price_pico::text, 'cacheWritePricePico', cache_write_price_pico::text,
           'reasoningPricePico', reasoning_price_pico::text, 'imagePricePico', image_price_pico::text,
           'requestPricePico', request_price_pico::text, 'steps', steps)) AS price
  FROM price_version WHERE id = $1`;

/** The prices that a request was admitted at; undefined if there are none of that id. */
export async function findPriceVersion(
  pool: Pick<pg.Pool, 'query'>,
  id: string,
): Promise<DatedPriceVersion | undefined> {
  const { rows } = await pool.query<{ starts_at: Date; price: unknown }>({
    name: 'price_version',
    text: PRICE_VERSION,
    values: [id],
  });
  const [row] = rows;
  return row && { ...fromStoredPrice(row.price), id, startsAt: row.starts_at };
}
