import { identifyApiKeys, type ApiKeyIdentity } from '@farebox/accounts';
import type { KeyHasher } from '@farebox/auth';
import type { Pool } from 'pg';

/** One secret that is looked up in the database, in a query that is begun after the call. */
export type LookUpKey = (secret: string) => Promise<ApiKeyIdentity | undefined>;

/** Of the pool's connections: who guesses keys must not take them from everybody else. */
const QUERIES_AT_ONCE = 2;
const KEYS_A_QUERY = 256;

interface Waiting {
  secret: string;
  resolve: (identity: ApiKeyIdentity | undefined) => void;
  reject: (error: unknown) => void;
}

/** All secrets that wait go out as one query, and the next when a former is back: what many ask costs little more. */
export function createKeyLookUps(pool: Pool, hasher: KeyHasher): LookUpKey {
  const waiting: Waiting[] = [];
  let running = 0;

  async function run(batch: readonly Waiting[]): Promise<void> {
    try {
      const secrets = batch.map(({ secret }) => secret);
      const found = await identifyApiKeys(pool, hasher, secrets);
      for (const [i, { resolve }] of batch.entries()) resolve(found[i]);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      running--;
      begin();
    }
  }

  function begin(): void {
    while (running < QUERIES_AT_ONCE && waiting.length > 0) {
      running++;
      void run(waiting.splice(0, KEYS_A_QUERY));
    }
  }

  return (secret) =>
    new Promise((resolve, reject) => {
      waiting.push({ secret, resolve, reject });
      begin();
    });
}
