import { toPicoUsd } from '@farebox/money';
import type pg from 'pg';
import type { PriceVersion } from './price';

/** Prices that were in force from a time on. */
export interface DatedPriceVersion extends PriceVersion {
  startsAt: Date;
}

/** The prices that a request was admitted at; undefined if there are none of that id. */
export async function findPriceVersion(
  pool: Pick<pg.Pool, 'query'>,
  id: string,
): Promise<DatedPriceVersion | undefined> {
  const { rows } = await pool.query<{ input: string; output: string; starts_at: Date }>({
    name: 'price_version',
    text: `SELECT input_price_pico::text AS input, output_price_pico::text AS output, starts_at
           FROM price_version WHERE id = $1`,
    values: [id],
  });
  const [row] = rows;
  return (
    row && {
      id,
      startsAt: row.starts_at,
      inputPricePico: toPicoUsd(BigInt(row.input)),
      outputPricePico: toPicoUsd(BigInt(row.output)),
    }
  );
}
