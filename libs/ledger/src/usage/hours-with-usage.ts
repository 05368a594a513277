import type pg from 'pg';
import { FORGOTTEN_BEFORE } from '../retention';
import { ANY_KEY } from './any-key';
import type { UsageFilter } from './usage-query';
import type { SummedBefore } from './sum-usage';

/** An hour in which there were requests of a key or a model. */
export interface HourWithUsage {
  /** Its beginning. */
  hour: Date;
  /** Requests of the key, the model, or both. */
  matching: number;
  /** All requests of the account. */
  all: number;
}

interface Row {
  hour: Date;
  matching: string;
  all: string;
}

/**
 * The newest hours of a range in which the account has requests of a key, a model, or both; newest first, at most
 * `count`. Reads counts and sums: an hour without such a request costs nothing. Hours whose requests were forgotten are
 * none of them.
 */
export async function findHoursWithUsage(
  pool: Pick<pg.Pool, 'query'>,
  accountId: string,
  { apiKeyId, modelId }: UsageFilter,
  { from, to, count }: { from: Date | undefined; to: Date; count: number },
  summedBefore: SummedBefore,
): Promise<HourWithUsage[]> {
  const isOfBoth = apiKeyId !== undefined && modelId !== undefined;
  // What is not summed yet is some hours. An hour of a key and a model is in the counts alone.
  const countedFrom = isOfBoth ? '-infinity' : await summedBefore();
  const { rows } = await pool.query<Row>({
    name: `hours_with_usage${apiKeyId === undefined ? '' : '_of_key'}${modelId === undefined ? '' : '_of_model'}`,
    text: `SELECT m.hour, m.matching::text,
            coalesce(s.requests,
                     (SELECT sum(requests) FROM usage_hour h WHERE h.account_id = $1 AND h.hour = m.hour))::text AS "all"
     FROM (
       (SELECT hour, sum(requests) AS matching FROM usage_hour
        WHERE account_id = $1 AND hour >= greatest($3, $4, ${FORGOTTEN_BEFORE}) AND hour < $5
          AND ${apiKeyId === undefined ? '$6::uuid IS NULL' : 'api_key_id = $6'}
          AND ${modelId === undefined ? '$7::text IS NULL' : 'model_id = $7'}
        GROUP BY hour ORDER BY hour DESC LIMIT $2)
       UNION ALL
       (SELECT starts_at, requests FROM usage_sum
        WHERE account_id = $1 AND grain = $8::usage_grain AND api_key_id = $9 AND model_id = $10
          AND starts_at >= greatest($3, ${FORGOTTEN_BEFORE}) AND starts_at < least($4, $5)
        ORDER BY starts_at DESC LIMIT $2)
     ) m
     LEFT JOIN usage_sum s ON s.account_id = $1 AND s.grain = 'hour' AND s.api_key_id = '${ANY_KEY}'
                          AND s.model_id = '' AND s.starts_at = m.hour
     ORDER BY m.hour DESC LIMIT $2`,
    values: [
      ...[accountId, count, from ?? null, countedFrom, to, apiKeyId ?? null, modelId ?? null],
      ...[
        apiKeyId === undefined ? 'hour_model' : 'hour_key',
        apiKeyId ?? ANY_KEY,
        isOfBoth ? '' : (modelId ?? ''),
      ],
    ],
  });
  return rows.map(({ hour, matching, all }) => ({ hour, matching: Number(matching), all: Number(all) }));
}
