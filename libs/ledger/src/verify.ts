import type pg from 'pg';
import { CHECKS } from './verify-checks';

export interface Difference {
  /** Which of the checks found it. */
  check: string;
  /** Null where the difference is not one account's. */
  accountId: string | null;
  detail: string;
}

export interface Verification {
  ok: boolean;
  accounts: number;
  entries: bigint;
  /** The first rows that differ, at most a few of each check. */
  differences: Difference[];
}

export interface VerifyOptions {
  /** Called before each check with its name, its number and how many there are. */
  onProgress?: (check: string, number: number, total: number) => void;
}

const DIFFERENCES_PER_CHECK = 10;

/**
 * Recomputes the books from the ledger's entries, the open holds and the usage records, and compares them with every
 * balance and counter that is kept, all in one snapshot: running requests do not disturb it.
 */
export async function verifyLedger(pool: pg.Pool, { onProgress }: VerifyOptions = {}): Promise<Verification> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await client.query('SET LOCAL statement_timeout = 0');
    const differences: Difference[] = [];
    const checks = Object.entries(CHECKS);
    for (const [number, [check, sql]] of checks.entries()) {
      onProgress?.(check, number + 1, checks.length);
      const { rows } = await client.query<{ account_id: string | null; detail: string }>(
        `SELECT account_id::text, detail FROM (${sql}) found LIMIT ${String(DIFFERENCES_PER_CHECK)}`,
      );
      differences.push(...rows.map((row) => ({ check, accountId: row.account_id, detail: row.detail })));
    }
    const { rows } = await client.query<{ accounts: string; entries: string }>(
      `SELECT (SELECT count(*) FROM account_funds)::text AS accounts, (SELECT count(*) FROM ledger_entry)::text AS entries`,
    );
    return {
      ok: differences.length === 0,
      accounts: Number(rows[0]?.accounts ?? 0),
      entries: BigInt(rows[0]?.entries ?? 0),
      differences,
    };
  } finally {
    await client.query('ROLLBACK').then(
      () => {
        client.release();
      },
      (error: unknown) => {
        client.release(error instanceof Error ? error : true);
      },
    );
  }
}
