import type { Pool } from 'pg';

const OWNED_KEY = 'SELECT FROM api_key WHERE account_id = $1 AND id = $2';

/** Whether a key is the account's, be it revoked. */
export async function ownsApiKey(pool: Pool, accountId: string, apiKeyId: string): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: 'owned_api_key',
    text: OWNED_KEY,
    values: [accountId, apiKeyId],
  });
  return rowCount === 1;
}
