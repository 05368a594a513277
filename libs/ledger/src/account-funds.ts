import { uuidV7 } from '@farebox/ids';
import { toNanoUsd, type NanoUsd } from '@farebox/money';
import type pg from 'pg';
import { NoSuchAccountError, ReferenceTakenError } from './ledger-error';

type Queryable = Pick<pg.Pool, 'query'>;

export interface Balance {
  balanceNano: NanoUsd;
  /** Held for requests that are under way. */
  heldNano: NanoUsd;
  availableNano: NanoUsd;
}

export interface TopUp {
  accountId: string;
  amountNano: NanoUsd;
  /** How it was paid, e.g. `manual`. */
  method: string;
  /** Names the payment. A second top-up with the same reference changes nothing. */
  reference: string;
}

/** Gives a new account its place in the ledger. Belongs into the transaction that creates the account. */
export async function openAccountFunds(client: Queryable, accountId: string): Promise<void> {
  await client.query('INSERT INTO account_funds (account_id) VALUES ($1)', [accountId]);
}

/**
 * Credits an account, once for each reference. `created` says whether this call did it.
 * Throws `ReferenceTakenError` and `NoSuchAccountError`.
 */
export async function topUp(
  pool: Queryable,
  { accountId, amountNano, method, reference }: TopUp,
): Promise<{ fundingId: string; balanceAfterNano: NanoUsd; created: boolean }> {
  try {
    const { rows } = await pool.query<{ funding_id: string; created: boolean; balance_after_nano: string }>(
      'SELECT funding_id, created, balance_after_nano::text FROM ledger_top_up($1, $2, $3, $4, $5)',
      [uuidV7(), accountId, amountNano, method, reference],
    );
    const [row] = rows;
    if (!row) throw new Error('ledger_top_up answered no row');
    return {
      fundingId: row.funding_id,
      balanceAfterNano: toNanoUsd(BigInt(row.balance_after_nano)),
      created: row.created,
    };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'FB001') throw new ReferenceTakenError(reference);
    // 23503: the funding's foreign key to its account.
    if (code === 'FB002' || code === '23503') throw new NoSuchAccountError(accountId);
    throw error;
  }
}

/** Throws `NoSuchAccountError`. */
export async function readBalance(pool: Queryable, accountId: string): Promise<Balance> {
  const { rows } = await pool.query<{ balance_nano: string; held_nano: string }>({
    name: 'read_balance',
    text: 'SELECT balance_nano::text, held_nano::text FROM account_funds WHERE account_id = $1',
    values: [accountId],
  });
  const [row] = rows;
  if (!row) throw new NoSuchAccountError(accountId);
  const balanceNano = toNanoUsd(BigInt(row.balance_nano));
  const heldNano = toNanoUsd(BigInt(row.held_nano));
  return { balanceNano, heldNano, availableNano: toNanoUsd(balanceNano - heldNano) };
}
