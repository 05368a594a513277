import { createApiKeySecret, hintOf, type KeyHasher } from '@farebox/auth';
import { uuidV7 } from '@farebox/ids';
import { toNanoUsd, type NanoUsd } from '@farebox/money';
import type { Pool, PoolClient } from 'pg';

/** A key as the operator sees it: never its secret. */
export interface ListedApiKey {
  id: string;
  accountId: string;
  name: string;
  /** The last four characters of its secret. */
  hint: string;
  status: 'active' | 'expired' | 'revoked';
  createdAt: Date;
  expiresAt: Date | null;
  revokedAt: Date | null;
  lastUsedAt: Date | null;
  monthlySpendLimitNano: NanoUsd | null;
  /** Charged in the current UTC calendar month. */
  monthlySpendNano: NanoUsd;
}

/** Creates a key of an account without limits. The secret is returned here and nowhere else. */
export async function createUnlimitedKey(
  client: PoolClient,
  hasher: KeyHasher,
  { accountId, name }: { accountId: string; name: string },
): Promise<{ apiKeyId: string; secret: string }> {
  const secret = createApiKeySecret();
  const { hmac, pepperVersion } = hasher.hash(secret);
  const apiKeyId = uuidV7();
  await client.query(
    `INSERT INTO api_key (id, account_id, name, secret_hmac, pepper_version, hint, model_policy_models)
     VALUES ($1, $2, $3, $4, $5, $6, '{}')`,
    [apiKeyId, accountId, name, hmac, pepperVersion, hintOf(secret)],
  );
  return { apiKeyId, secret };
}

type KeyRow = Omit<ListedApiKey, 'monthlySpendLimitNano' | 'monthlySpendNano'> & {
  limit_nano: bigint | null;
  spend_nano: bigint | null;
};

/** An account's keys, newest first: at most `count`, those after the key `afterId`. */
export async function listApiKeys(
  db: Pick<Pool, 'query'>,
  accountId: string,
  { afterId, count }: { afterId: string | undefined; count: number },
): Promise<ListedApiKey[]> {
  const { rows } = await db.query<KeyRow>(
    `SELECT k.id, k.account_id AS "accountId", k.name, k.hint, k.created_at AS "createdAt",
            k.expires_at AS "expiresAt", k.revoked_at AS "revokedAt", m.last_used_at AS "lastUsedAt",
            CASE WHEN k.revoked_at IS NOT NULL THEN 'revoked' WHEN k.expires_at <= now() THEN 'expired'
                 ELSE 'active' END AS status,
            k.monthly_spend_limit_nano AS limit_nano,
            CASE WHEN m.month = date_trunc('month', now(), 'UTC')::date THEN m.spent_nano END AS spend_nano
     FROM api_key k
     LEFT JOIN LATERAL (SELECT month, spent_nano, last_used_at FROM api_key_month
                        WHERE api_key_id = k.id ORDER BY month DESC LIMIT 1) m ON true
     WHERE k.account_id = $1 AND ($2::uuid IS NULL OR k.id < $2)
     ORDER BY k.id DESC LIMIT $3`,
    [accountId, afterId ?? null, count],
  );
  return rows.map(({ limit_nano, spend_nano, ...key }) => ({
    ...key,
    monthlySpendLimitNano: limit_nano === null ? null : toNanoUsd(limit_nano),
    monthlySpendNano: toNanoUsd(spend_nano ?? 0n),
  }));
}

/**
 * Ends a key for good: once this is committed, no request with it is admitted. Answers with its account and whether this
 * call did it; `undefined` where there is no such key.
 */
export async function revokeApiKey(
  client: PoolClient,
  apiKeyId: string,
): Promise<{ accountId: string; revoked: boolean } | undefined> {
  const { rowCount } = await client.query(
    'UPDATE api_key SET revoked_at = now(), version = version + 1 WHERE id = $1 AND revoked_at IS NULL',
    [apiKeyId],
  );
  const { rows } = await client.query<{ account_id: string }>(
    'SELECT account_id FROM api_key WHERE id = $1',
    [apiKeyId],
  );
  const [key] = rows;
  return key && { accountId: key.account_id, revoked: rowCount === 1 };
}
