import { toPicoUsd } from '@farebox/money';
import type pg from 'pg';
import type { PriceVersion } from './catalog';

/** A price that a model has or had. */
export interface PriceEntry extends PriceVersion {
  modelId: string;
  startsAt: Date;
  /** When the next price took its place; null for the price that is in force. */
  endsAt: Date | null;
}

interface PriceRow {
  id: string;
  model_id: string;
  input_price_pico: string;
  output_price_pico: string;
  starts_at: Date;
  ends_at: Date | null;
}

/** Every price there was, of one model or of all, newest first within a model. At most `limit`. */
export async function listPrices(
  db: Pick<pg.Pool, 'query'>,
  { modelId, limit }: { modelId: string | undefined; limit: number },
): Promise<PriceEntry[]> {
  const { rows } = await db.query<PriceRow>(
    `SELECT id, model_id, input_price_pico::text, output_price_pico::text, starts_at,
            lead(starts_at) OVER (PARTITION BY model_id ORDER BY starts_at) AS ends_at
     FROM price_version WHERE $1::text IS NULL OR model_id = $1
     ORDER BY model_id, starts_at DESC LIMIT $2`,
    [modelId ?? null, limit],
  );
  return rows.map((row) => ({
    id: row.id,
    modelId: row.model_id,
    inputPricePico: toPicoUsd(BigInt(row.input_price_pico)),
    outputPricePico: toPicoUsd(BigInt(row.output_price_pico)),
    startsAt: row.starts_at,
    endsAt: row.ends_at,
  }));
}
