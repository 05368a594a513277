import type pg from 'pg';
import type { PriceVersion } from './price';
import { PRICE_COLUMNS, toPriceVersion, type PriceRow } from './stored-price';

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
