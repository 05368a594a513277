import type pg from 'pg';
import type { ReadPrices } from './check-costs';
import { checkSlice, DIFFERENCES_PER_CHECK, toText, type Difference, type Slice } from './check-slice';

/**
 * One reading of the books, from the first account to the last: all entries, or only those since the last
 * reading.
 */
export interface Round {
  pass: 'recent' | 'whole';
  /** The database's time, in its format. */
  startedAt: string;
  /** Accounts up to this one have been read. */
  after: string | undefined;
  /** The next account, if part of it has been read. */
  within: string | undefined;
  accounts: number;
  entries: bigint;
}

export interface RoundOptions {
  bounds?: SliceBounds;
  /** Prices for recomputing costs from tokens; without it costs are not checked. */
  readPrices?: ReadPrices | undefined;
  /** Called after each slice, outside of its transaction. Return false to pause the round. */
  onSlice?: (round: Round, found: readonly Difference[]) => Promise<boolean> | boolean;
}

/**
 * Continues a round, slice by slice, each in one short snapshot beside running requests: however many entries
 * there are, no snapshot is older than the reading of one slice. Returns whether the round is complete, and
 * the first differences, at most a few of each check.
 */
export async function goOnWithRound(
  client: pg.ClientBase,
  round: Round,
  { bounds = SLICE_BOUNDS, readPrices, onSlice }: RoundOptions = {},
): Promise<{ isFinished: boolean; differences: Difference[] }> {
  const isOfWhole = round.pass === 'whole';
  const since = isOfWhole ? undefined : await readCheckpoint(client);
  const reading = { isOfWhole, since, mostEntries: bounds.entries, readPrices };
  const differences: Difference[] = [];
  const { after, within } = round;
  for await (const slice of planSlices(client, { after, within, isOfWhole }, bounds)) {
    const [accountId] = slice.accountIds;
    for (let isLast = false; !isLast;) {
      const isFirst = round.within !== accountId;
      const result = await checkSlice(client, slice, reading, isFirst);
      isLast = result.isLast;
      const found = firstOfEachCheck(differences, result.differences);
      differences.push(...found);
      round.entries += result.entries;
      round.within = isLast ? undefined : accountId;
      if (isLast) {
        round.accounts += slice.accountIds.length;
        round.after = slice.accountIds.at(-1) ?? round.after;
      }
      const isEnd = isLast && !slice.isInParts && slice.upTo === undefined;
      if ((await onSlice?.(round, found)) === false && !isEnd) return { isFinished: false, differences };
    }
  }
  return { isFinished: true, differences };
}

/** One manual change may affect thousands of rows: some of each kind show what happened. */
function firstOfEachCheck(known: readonly Difference[], found: readonly Difference[]): Difference[] {
  const counts = new Map<string, number>();
  return [...known, ...found]
    .filter(({ check }) => {
      const count = (counts.get(check) ?? 0) + 1;
      counts.set(check, count);
      return count <= DIFFERENCES_PER_CHECK;
    })
    .slice(known.length);
}

export async function beginRound(client: pg.ClientBase, pass: Round['pass']): Promise<Round> {
  const { rows } = await client.query<{ now: string }>(`SELECT ${toText('clock_timestamp()')} AS now`);
  return {
    pass,
    startedAt: String(rows[0]?.now),
    after: undefined,
    within: undefined,
    accounts: 0,
    entries: 0n,
  };
}

/** Completes a round over all accounts and, for correct books, records how far they are verified. */
export async function finishRound(client: pg.ClientBase, round: Round, differences: number): Promise<void> {
  const { pass, startedAt, accounts, entries } = round;
  await client.query('SELECT ledger_finish_round($1, $2, $3, $4, $5)', [
    ...[pass, startedAt, accounts, String(entries), differences],
  ]);
}

export interface Verification {
  ok: boolean;
  accounts: number;
  /** Number of entries read. */
  entries: bigint;
  /** The checkpoint at which the reading began; null if the books were read in full. */
  since: Date | null;
  /** The first differences, at most a few of each check. */
  differences: Difference[];
}

export interface VerifyOptions {
  /** Starts at the last checkpoint, if there is one. */
  sinceCheckpoint?: boolean;
  bounds?: SliceBounds;
  readPrices?: RoundOptions['readPrices'];
  /** Called after each slice with the progress so far. */
  onProgress?: (round: Round) => void;
}

/** Held during a check, so that only one runs at a time. An arbitrary number without other users. */
export const CHECK_LOCK = 4_207_611;

/**
 * Recomputes every stored balance and counter from the ledger's entries, holds, reviews and usage records,
 * from the first account to the last, and the costs of requests from their tokens. Waits for a worker's
 * running check. Correct results are recorded, so that the next verification can start there.
 */
export async function verifyLedger(
  pool: Pick<pg.Pool, 'connect'>,
  { sinceCheckpoint = false, bounds, readPrices, onProgress }: VerifyOptions = {},
): Promise<Verification> {
  const client = await pool.connect();
  let failure: Error | boolean = true;
  try {
    await client.query(`SELECT pg_advisory_lock(${String(CHECK_LOCK)})`);
    const checkpoint = sinceCheckpoint ? await readCheckpoint(client) : undefined;
    const round = await beginRound(client, checkpoint === undefined ? 'whole' : 'recent');
    const { differences } = await goOnWithRound(client, round, {
      ...(bounds && { bounds }),
      readPrices,
      onSlice: (at) => {
        onProgress?.(at);
        return true;
      },
    });
    await finishRound(client, round, differences.length);
    await client.query(`SELECT pg_advisory_unlock(${String(CHECK_LOCK)})`);
    failure = false;
    return {
      ok: differences.length === 0,
      accounts: round.accounts,
      entries: round.entries,
      since: checkpoint === undefined ? null : new Date(checkpoint),
      differences,
    };
  } finally {
    // A connection that cannot release the lock is closed, which releases it.
    client.release(failure);
  }
}

/** The time up to which all books were verified; undefined if they never were. */
async function readCheckpoint(client: pg.ClientBase): Promise<string | undefined> {
  const { rows } = await client.query<{ time: string }>(
    `SELECT ${toText('closed_before')} AS time FROM ledger_checkpoint`,
  );
  return rows[0]?.time;
}

/** Accounts with more entries than one snapshot allows are read in parts. */
export interface SliceBounds {
  accounts: number;
  entries: number;
}

/** A snapshot of this size takes about a second. */
const SLICE_BOUNDS: SliceBounds = { accounts: 500, entries: 20_000 };

/**
 * The slices of the books after an account, in the order of their ids, planned on demand. `within`: the next
 * account is read in parts, whatever remains of it.
 */
async function* planSlices(
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

/** Rows of non-existent accounts before a large account are read with the small ones before it. */
const upToBefore = (accountId = ''): Slice['upTo'] => ({ accountId, isIncluded: false });
const upToAndWith = (accountId = ''): Slice['upTo'] => ({ accountId, isIncluded: true });

function inParts(accountId: string): Slice {
  return { after: undefined, upTo: undefined, accountIds: [accountId], isInParts: true };
}

interface AccountSize {
  accountId: string;
  entries: number;
}

/** How many accounts, from the first on, have at most this many entries together. */
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
