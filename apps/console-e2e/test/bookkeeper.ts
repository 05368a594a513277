import { fromPublicId, uuidV7 } from '@farebox/auth';
import { givenApiKey, givenPastCharge } from '@farebox/testing';
import type { ConsoleStack } from './console-stack';
import { givenSignedIn, type SignedIn } from './inhabited-service';

/** More than a page, and than an export reads at a time. */
export const REQUESTS = 2_000;
export const KEYS = 300;
export const RETIRED = 'retired-model';

/** A customer with many requests and keys. */
export interface Bookkeeper extends SignedIn {
  /** Two keys of one name, which made the requests. */
  twins: [string, string];
  /** Older than a page of keys reaches, and the only one that may not use every model. */
  oldest: string;
}

const HOUR_MS = 3_600_000;

/** Paid in the month before last, and charged in this hour: the worker has summed the usage of those before it. */
export async function givenBookkeeper(stack: ConsoleStack): Promise<Bookkeeper> {
  const { pool } = stack.db;
  const signedIn = await givenSignedIn(stack, 'hopper@example.com', []);
  const accountId = fromPublicId('acct', signedIn.accountId) ?? '';
  const now = Date.now();
  const paidAt = new Date(Date.UTC(new Date(now).getUTCFullYear(), new Date(now).getUTCMonth() - 2, 3));
  await pool.query(
    `WITH given AS (
       INSERT INTO funding (id, account_id, method, reference, amount_nano, created_at)
       VALUES ($1, $2, 'manual', 'hopper', 50000000000, $3) RETURNING *)
     SELECT ledger_append(id, account_id, 'top_up', 'funding', 'customer', amount_nano, NULL, created_at) FROM given`,
    [uuidV7(), accountId, paidAt],
  );
  const oldest = await givenApiKey(pool, accountId);
  const twins: [string, string] = [await givenApiKey(pool, accountId), await givenApiKey(pool, accountId)];
  for (let i = 3; i < KEYS; i++) await givenApiKey(pool, accountId);
  await pool.query(
    `UPDATE api_key SET name = CASE WHEN id = $2 THEN 'The oldest' WHEN id = ANY ($3) THEN 'Twin' ELSE 'Other' END,
                        hint = right(id::text, 4)
     WHERE account_id = $1`,
    [accountId, oldest, twins],
  );
  await pool.query(
    `UPDATE api_key SET model_policy_mode = 'allow', model_policy_models = '{small}' WHERE id = $1`,
    [oldest],
  );
  const beginMs = Math.floor(now / HOUR_MS) * HOUR_MS;
  const stepMs = (now - beginMs) / REQUESTS;
  for (let i = 0; i < REQUESTS; i++)
    await givenPastCharge(pool, {
      ...{ accountId, apiKeyId: twins[i % 4 === 0 ? 0 : 1], at: new Date(beginMs + i * stepMs) },
      ...{ modelId: i % 3 === 0 ? RETIRED : 'small', costNano: BigInt(1_000_000 + i), promptTokens: i },
    });
  return { ...signedIn, twins, oldest };
}
