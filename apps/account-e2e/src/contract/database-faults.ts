import type { Pool } from 'pg';
import type { DatabaseProxy } from '../database-proxy';

/** Tables of which each operation reads one at least. */
const TABLES = ['account_session', 'sign_in_link', 'sign_in_throttle', 'stripe_event'];

/** Runs something while a table is not there: a fault of the service's own, and none that passes by itself. */
export async function withBrokenDatabase<Result>(pool: Pool, run: () => Promise<Result>): Promise<Result> {
  const rename = (toName: (name: string) => string, fromName: (name: string) => string) =>
    pool.query(TABLES.map((name) => `ALTER TABLE ${fromName(name)} RENAME TO ${toName(name)}`).join('; '));
  const own = (name: string): string => name;
  const hidden = (name: string): string => `hidden_${name}`;
  await rename(hidden, own);
  try {
    return await run();
  } finally {
    await rename(own, hidden);
  }
}

/** Runs something while nobody reaches the database. */
export async function withoutDatabase<Result>(
  proxy: DatabaseProxy,
  run: () => Promise<Result>,
): Promise<Result> {
  await proxy.cut();
  try {
    return await run();
  } finally {
    await proxy.mend();
  }
}
