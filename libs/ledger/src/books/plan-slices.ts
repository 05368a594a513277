import type pg from 'pg';
import type { Slice } from './check-slice';

/** Whose entries are too many for one snapshot is read in parts. */
export interface SliceBounds {
  accounts: number;
  entries: number;
}

/** A snapshot of this size is of a second or so. */
export const SLICE_BOUNDS: SliceBounds = { accounts: 500, entries: 20_000 };

/**
 * The slices of the books after an account, in the order of their ids, looked up as they are asked for. `within`: the
 * account that comes next is read in parts, whatever is left of it.
 */
export async function* planSlices(
  client: pg.ClientBase,
  {
    after: first,
    within,
    isOfWhole,
  }: { after: string | undefined; within: string | undefined; isOfWhole: boolean },
  bounds: SliceBounds,
): AsyncGenerator<Slice> {
  let after = first;
  if (within !== undefined) {
    yield inParts(within);
    after = within;
  }
  for (;;) {
    const accounts = await nextAccounts(client, after, isOfWhole, bounds.accounts);
    const big = accounts.findIndex(({ entries }) => entries > bounds.entries);
    const small = accounts.slice(0, fitting(big < 0 ? accounts : accounts.slice(0, big), bounds.entries));
    const next = accounts[small.length];
    const isEnd = !next && accounts.length < bounds.accounts;
    const isBigNext = small.length === big;
    const last = small.at(-1)?.accountId;
    yield {
      after,
      upTo: isEnd ? undefined : isBigNext ? upToBefore(next?.accountId) : upToAndWith(last),
      accountIds: small.map(({ accountId }) => accountId),
      isInParts: false,
    };
    if (isEnd) return;
    after = last ?? after;
    if (next && isBigNext) {
      yield inParts(next.accountId);
      after = next.accountId;
    }
  }
}

/** What stands under ids of no account before a big one is read with the small ones before it. */
const upToBefore = (accountId = ''): Slice['upTo'] => ({ accountId, isIncluded: false });
const upToAndWith = (accountId = ''): Slice['upTo'] => ({ accountId, isIncluded: true });

function inParts(accountId: string): Slice {
  return { after: undefined, upTo: undefined, accountIds: [accountId], isInParts: true };
}

interface AccountSize {
  accountId: string;
  entries: number;
}

/** How many of the accounts, from the first on, have no more entries than this together. */
function fitting(accounts: readonly AccountSize[], entries: number): number {
  let sum = 0;
  const over = accounts.findIndex((account) => (sum += account.entries) > entries);
  return over < 0 ? accounts.length : over;
}

async function nextAccounts(
  client: pg.ClientBase,
  after: string | undefined,
  isOfWhole: boolean,
  limit: number,
): Promise<AccountSize[]> {
  const { rows } = await client.query<{ account_id: string; entries: string }>(
    `SELECT f.account_id::text, (f.last_seq - CASE WHEN $3 THEN 0 ELSE coalesce(c.seq, 0) END)::text AS entries
     FROM account_funds f LEFT JOIN ledger_checkpoint_account c ON c.account_id = f.account_id
     WHERE $1::uuid IS NULL OR f.account_id > $1 ORDER BY f.account_id LIMIT $2`,
    [after ?? null, limit, isOfWhole],
  );
  return rows.map((row) => ({ accountId: row.account_id, entries: Number(row.entries) }));
}
