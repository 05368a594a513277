import type pg from 'pg';
import { ANY_KEY } from './any-key';
import { readSummedBefore } from './sum-usage';

/** Whether an account has ever been charged for a request of a model. */
export async function hasUsedModel(
  pool: Pick<pg.Pool, 'query'>,
  accountId: string,
  modelId: string,
): Promise<boolean> {
  const summedBefore = await readSummedBefore(pool);
  const { rows } = await pool.query<{ used: boolean }>({
    name: 'has_used_model',
    text: `SELECT EXISTS (SELECT FROM usage_sum WHERE account_id = $1 AND grain = 'hour_model'
                      AND api_key_id = '${ANY_KEY}' AND model_id = $2)
         OR EXISTS (SELECT FROM usage_hour WHERE account_id = $1 AND model_id = $2 AND hour >= $3) AS used`,
    values: [accountId, modelId, summedBefore],
  });
  return rows[0]?.used === true;
}
