import type { Pool } from 'pg';

/** What an account calls one of its keys, and whether it still opens anything. */
export interface NamedApiKey {
  id: string;
  name: string;
  expiresAt: Date | null;
  revokedAt: Date | null;
}

const NAMED_KEYS = `SELECT id, name, expires_at AS "expiresAt", revoked_at AS "revokedAt"
                    FROM api_key WHERE account_id = $1 AND id = ANY ($2::uuid[])`;

/** Those of these keys that are the account's, revoked ones too, in no order. */
export async function readApiKeys(
  pool: Pick<Pool, 'query'>,
  accountId: string,
  apiKeyIds: readonly string[],
): Promise<NamedApiKey[]> {
  const { rows } = await pool.query<NamedApiKey>({
    name: 'named_api_keys',
    text: NAMED_KEYS,
    values: [accountId, apiKeyIds],
  });
  return rows;
}
