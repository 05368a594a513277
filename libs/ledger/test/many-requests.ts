import { uuidV7 } from '@farebox/auth';
import { givenAccount, givenApiKey, type TestDatabase } from '@farebox/testing';
import { dayAgo } from './usage-history';

/**
 * An account with enough requests for the query plan to matter. The rest of the books does not include them.
 */
export interface ManyRequests {
  accountId: string;
  apiKeyId: string;
  /** A model of one request in two thousand; all others use `common`. */
  rareModelId: string;
}

/** 40,000 requests over two days, interleaved with 40,000 of another account. */
export async function givenManyRequests(db: TestDatabase): Promise<ManyRequests> {
  const accounts = [await givenAccount(db.pool), await givenAccount(db.pool)];
  const [accountId = '', otherAccountId = ''] = accounts;
  const apiKeyId = await givenApiKey(db.pool, accountId);
  await db.pool.query(
    `INSERT INTO usage_record (id, account_id, api_key_id, model_id, price_version_id, request_id, prompt_tokens,
                               completion_tokens, cost_nano, outcome, streamed, estimated, day, latency_ms, created_at)
     SELECT uuidv7(), CASE i % 2 WHEN 0 THEN $1::uuid ELSE $2::uuid END, $3, CASE i % 4000 WHEN 0 THEN 'rare' ELSE 'common' END,
            $4, 'req_1', 1, 2, 3, 'completed', false, false, '2026-01-01', 1,
            $5::timestamptz + i * interval '2 seconds'
     FROM generate_series(0, 79999) i`,
    [accountId, otherAccountId, apiKeyId, uuidV7(), dayAgo(3)],
  );
  await db.pool.query(
    `INSERT INTO usage_hour (account_id, hour, api_key_id, model_id, requests, prompt_tokens, completion_tokens, cost_nano)
     SELECT account_id, date_trunc('hour', created_at, 'UTC'), api_key_id, model_id, count(*), sum(prompt_tokens),
            sum(completion_tokens), sum(cost_nano)
     FROM usage_record GROUP BY 1, 2, 3, 4`,
  );
  await db.pool.query('ANALYZE');
  return { accountId, apiKeyId, rareModelId: 'rare' };
}
