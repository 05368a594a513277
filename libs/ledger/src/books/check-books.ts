import type pg from 'pg';
import { oneAtATime } from '../one-at-a-time';
import type { Difference } from './check-slice';
import {
  beginRound,
  CHECK_LOCK,
  finishRound,
  goOnWithRound,
  type Round,
  type RoundOptions,
  type SliceBounds,
} from './verify-ledger';

/** Pause between two rounds over new entries. A round that found differences is repeated at once. */
const RECENT_EVERY = '1 hour';
/** Pause between two readings of all books. */
const WHOLE_EVERY = '24 hours';
/** Lets a whole reading finish within a day, with some reserve, if a check runs each minute. */
const RUNS_OF_WHOLE = 1_000;
/** The fewest entries of a round that one run reads. */
const LEAST_ENTRIES = 200_000;
/** The cost of an account beside its entries, in entries. */
const ACCOUNT_COST = 10;
/** After this time a round pauses, and the next run continues it. */
const MOST_MS = 20_000;

export interface CheckOptions extends Pick<RoundOptions, 'readPrices'> {
  bounds?: SliceBounds;
  /** The most that one run reads of a round, in entries; the cost of accounts counts too. */
  mostEntries?: number;
}

export interface CheckResult {
  /** The rounds that this run continued. */
  rounds: { pass: Round['pass']; isFinished: boolean }[];
  /** The differences found, at most a few of each check. */
  differences: Difference[];
}

/**
 * Continues the check of the books for a limited time, as a worker does each minute: first the hourly round
 * over new entries, then the daily round over all books, which is spread over the day. Books that were never
 * checked are read in full first. Records its progress and findings. Returns undefined if another check is
 * running.
 */
export async function checkBooks(
  pool: pg.Pool,
  options: CheckOptions = {},
): Promise<CheckResult | undefined> {
  return oneAtATime(pool, CHECK_LOCK, (client) => checkWhatIsDue(client, options));
}

async function checkWhatIsDue(client: pg.ClientBase, options: CheckOptions): Promise<CheckResult> {
  const rounds: CheckResult['rounds'] = [];
  const differences: Difference[] = [];
  for (const { round, differencesBefore } of await roundsDue(client)) {
    const found = await runPart(client, round, differencesBefore, options);
    rounds.push({ pass: round.pass, isFinished: found.isFinished });
    differences.push(...found.differences);
  }
  return { rounds, differences };
}

interface DueRound {
  round: Round;
  /** Found by earlier runs of the round. */
  differencesBefore: number;
}

interface RoundRow {
  pass: Round['pass'];
  started_at: string;
  after_account_id: string | null;
  within_account_id: string | null;
  accounts: string;
  entries: string;
  differences: number;
  is_under_way: boolean;
  is_due: boolean;
}

/** A time in the future, after the clock was set back, counts as due. */
async function roundsDue(client: pg.ClientBase): Promise<DueRound[]> {
  const { rows } = await client.query<RoundRow>(
    `SELECT p.pass, r.started_at::text, r.after_account_id, r.within_account_id, r.accounts::text, r.entries::text,
            coalesce(r.differences, 0) AS differences,
            r.pass IS NOT NULL AND r.finished_at IS NULL AS is_under_way,
            coalesce(r.differences, 0) > 0
              OR coalesce(CASE p.pass WHEN 'whole' THEN c.read_whole_at
                                      ELSE coalesce(r.finished_at, c.taken_at) END
                          NOT BETWEEN clock_timestamp() - p.every AND clock_timestamp(), true) AS is_due
     FROM (VALUES ('recent'::ledger_check_pass, $1::interval), ('whole', $2)) p(pass, every)
     LEFT JOIN ledger_check_round r ON r.pass = p.pass
     LEFT JOIN ledger_checkpoint c ON true
     WHERE p.pass = 'whole' OR c.id IS NOT NULL
     ORDER BY p.pass`,
    [RECENT_EVERY, WHOLE_EVERY],
  );
  const due: DueRound[] = [];
  for (const row of rows) {
    if (row.is_under_way) due.push({ round: toRound(row), differencesBefore: row.differences });
    else if (row.is_due) due.push({ round: await beginRound(client, row.pass), differencesBefore: 0 });
  }
  return due;
}

function toRound(row: RoundRow): Round {
  return {
    pass: row.pass,
    startedAt: row.started_at,
    after: row.after_account_id ?? undefined,
    within: row.within_account_id ?? undefined,
    accounts: Number(row.accounts),
    entries: BigInt(row.entries),
  };
}

async function runPart(
  client: pg.ClientBase,
  round: Round,
  differencesBefore: number,
  { bounds, mostEntries, readPrices }: CheckOptions,
): Promise<{ isFinished: boolean; differences: Difference[] }> {
  const costOf = ({ entries, accounts }: Round): number => Number(entries) + accounts * ACCOUNT_COST;
  const most = costOf(round) + (mostEntries ?? (await entriesOfRun(client)));
  const untilMs = performance.now() + MOST_MS;
  let count = differencesBefore;
  const result = await goOnWithRound(client, round, {
    ...(bounds && { bounds }),
    readPrices,
    async onSlice(at, found) {
      count += found.length;
      await client.query('SELECT ledger_note_round($1, $2, $3, $4, $5, $6, $7)', [
        ...[
          at.pass,
          at.startedAt,
          at.after ?? null,
          at.within ?? null,
          at.accounts,
          String(at.entries),
          count,
        ],
      ]);
      if (found.length > 0) await client.query('SELECT ledger_note_check()');
      return costOf(at) < most && performance.now() < untilMs;
    },
  });
  if (result.isFinished) {
    await finishRound(client, round, count);
    await client.query('SELECT ledger_note_check()');
  }
  return result;
}

async function entriesOfRun(client: pg.ClientBase): Promise<number> {
  const { rows } = await client.query<{ cost: string }>(
    'SELECT coalesce(sum(last_seq + $1), 0)::text AS cost FROM account_funds',
    [ACCOUNT_COST],
  );
  return Math.max(LEAST_ENTRIES, Number(rows[0]?.cost ?? 0) / RUNS_OF_WHOLE);
}

/** The findings of the last check of the books, by any worker. */
export interface LastCheck {
  checkedAt: Date;
  /** 0 if the books were right. A check reports only some of each kind. */
  differences: number;
}

/** Undefined if the books were never checked. */
export async function readLastCheck(pool: Pick<pg.Pool, 'query'>): Promise<LastCheck | undefined> {
  const { rows } = await pool.query<LastCheck>(
    'SELECT checked_at AS "checkedAt", differences FROM ledger_check WHERE id = 1',
  );
  return rows[0];
}

/** Progress of the check of all books. */
export interface CheckProgress {
  startedAt: Date;
  /** Null while it is running. */
  finishedAt: Date | null;
  accountsRead: number;
  accounts: number;
  entriesRead: bigint;
}

/** Undefined if none has begun. */
export async function readCheckProgress(pool: Pick<pg.Pool, 'query'>): Promise<CheckProgress | undefined> {
  const { rows } = await pool.query<Omit<CheckProgress, 'entriesRead'> & { entries_read: string }>(
    `SELECT started_at AS "startedAt", finished_at AS "finishedAt", accounts::int AS "accountsRead",
            (SELECT count(*)::int FROM account_funds) AS accounts, entries::text AS entries_read
     FROM ledger_check_round WHERE pass = 'whole'`,
  );
  const [row] = rows;
  if (!row) return undefined;
  const { entries_read, ...progress } = row;
  return { ...progress, entriesRead: BigInt(entries_read) };
}
