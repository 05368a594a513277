import { createSession } from '@farebox/accounts';
import type pg from 'pg';
import type { AccountShape } from '../history/generate-history';
import { createCustomers } from '../ledger/customers';

/** An account whose usage is read. */
export interface Reader extends AccountShape {
  name: string;
  keys: number;
  sessionToken: string;
}

/** One that is usual, and one with so many keys and models that each hour has a thousand counts. */
const READERS = [
  { name: '4 keys, 5 models', keys: 4, models: 5, share: 100 },
  { name: '20 keys, 50 models', keys: 20, models: 50, share: 300 },
];
const OTHERS = 600;

/** All accounts of a bench, with a session for each that is read. */
export async function createReaders(pool: pg.Pool): Promise<Reader[]> {
  const customers = await createCustomers(pool, READERS.length + OTHERS);
  const readers: Reader[] = [];
  for (const [i, shape] of READERS.entries()) {
    const accountId = customers[i]?.accountId ?? '';
    await pool.query(
      `INSERT INTO api_key (id, account_id, name, secret_hmac, pepper_version, hint)
       SELECT uuidv7(), $1::uuid, 'bench ' || n, sha256(($1::uuid || ' ' || n)::bytea), 1, 'abcd' FROM generate_series(2, $2::int) n`,
      [accountId, shape.keys],
    );
    const { token } = await createSession(accountId, pool);
    readers.push({ ...shape, accountId, sessionToken: token });
  }
  return readers;
}
