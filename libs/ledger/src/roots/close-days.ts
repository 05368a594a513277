import type pg from 'pg';
import { oneAtATime } from '../one-at-a-time';
import { cutIntoBlocks, hashBlock, readBlocks, readGroupHashes, type EntryRange } from './blocks';
import { hashTree } from './merkle';
import { hashStatement, NO_DAY_BEFORE, type DayRoot, type RootSigner } from './statement';

/** After this time a run pauses, and the next one continues. */
const MOST_MS = 20_000;
/** Accounts that are looked through together. */
const ACCOUNTS_TOGETHER = 500;
/** Blocks that are read and written together, each in a short transaction. */
const BLOCKS_TOGETHER = 64;

export interface CloseOptions {
  /** Signs the roots, also those from before it was given. */
  signer?: RootSigner | undefined;
  mostMs?: number;
}

export interface ClosedDays {
  /** The days that got their root. */
  closed: string[];
  signed: number;
}

/** Held while days are closed, so that one worker does it at a time. An arbitrary number without other users. */
const CLOSE_LOCK = 4_207_612;

/**
 * Gives each UTC day that is over its Merkle root, for a limited time: the entries of a day stay as they are, so that
 * a run needs no snapshot of all of them, and the next one continues behind the blocks that are there. Memory does not
 * grow with the day. Returns undefined if another run is under way.
 */
export async function closeDays(
  pool: pg.Pool,
  { signer, mostMs = MOST_MS }: CloseOptions = {},
): Promise<ClosedDays | undefined> {
  return oneAtATime(pool, CLOSE_LOCK, (client) => closeUntil(client, performance.now() + mostMs, signer));
}

async function closeUntil(
  client: pg.ClientBase,
  untilMs: number,
  signer: RootSigner | undefined,
): Promise<ClosedDays> {
  const closed: string[] = [];
  for (;;) {
    const day = await readDayToClose(client);
    if (day === undefined || !(await addBlocks(client, day, untilMs))) break;
    const groups = await readGroupHashes(client, day);
    const previous = await hashOfDayBefore(client);
    await client.query('SELECT ledger_close_day($1, $2, $3, $4)', [
      ...[day, hashTree(groups), previous, Buffer.concat(groups)],
    ]);
    closed.push(day);
    if (performance.now() >= untilMs) break;
  }
  return { closed, signed: signer ? await signRoots(client, signer) : 0 };
}

async function readDayToClose(client: pg.ClientBase): Promise<string | undefined> {
  const { rows } = await client.query<{ day: string | null }>('SELECT ledger_day_to_close()::text AS day');
  return rows[0]?.day ?? undefined;
}

async function hashOfDayBefore(client: pg.ClientBase): Promise<Buffer> {
  const { rows } = await client.query<DayRoot>(
    'SELECT day::text, root, previous FROM ledger_root ORDER BY ledger_root.day DESC LIMIT 1',
  );
  return rows[0] ? hashStatement(rows[0]) : NO_DAY_BEFORE;
}

/** Adds the blocks that a day lacks, in the order of the accounts. Returns whether it has all of them. */
async function addBlocks(client: pg.ClientBase, day: string, untilMs: number): Promise<boolean> {
  const { rows } = await client.query<{ position: number; account_id: string }>(
    'SELECT position, account_id FROM ledger_root_block WHERE day = $1 ORDER BY position DESC LIMIT 1',
    [day],
  );
  let position = rows[0] ? rows[0].position + 1 : 0;
  // The account of the last block may have more.
  let from = { accountId: rows[0]?.account_id ?? '00000000-0000-0000-0000-000000000000', isIncluded: true };
  for (;;) {
    const accounts = await readOpenEntries(client, day, from);
    const blocks = accounts.flatMap(({ range }) => (range ? cutIntoBlocks(range) : []));
    for (let i = 0; i < blocks.length; i += BLOCKS_TOGETHER) {
      const some = blocks.slice(i, i + BLOCKS_TOGETHER);
      await noteBlocks(client, day, position, some);
      position += some.length;
      if (performance.now() >= untilMs) return false;
    }
    const last = accounts.at(-1);
    if (!last || accounts.length < ACCOUNTS_TOGETHER) return true;
    from = { accountId: last.accountId, isIncluded: false };
  }
}

/**
 * The entries until the end of the day that are in no block yet, of the next accounts. An account's entries are
 * numbered in the order of time, and all of its earlier ones are in blocks of days before.
 */
async function readOpenEntries(
  client: pg.ClientBase,
  day: string,
  from: { accountId: string; isIncluded: boolean },
): Promise<{ accountId: string; range: EntryRange | undefined }[]> {
  const { rows } = await client.query<{ account_id: string; first_seq: string; end_seq: string | null }>(
    `SELECT f.account_id, closed.end_seq::text AS first_seq, today.end_seq::text
     FROM (SELECT account_id FROM account_funds
           WHERE account_id ${from.isIncluded ? '>=' : '>'} $1 AND recorded_at >= $2::date::timestamp AT TIME ZONE 'UTC'
           ORDER BY account_id LIMIT $3) f
     CROSS JOIN LATERAL (
       SELECT coalesce((SELECT b.first_seq + b.entries FROM ledger_root_block b WHERE b.account_id = f.account_id
                        ORDER BY b.first_seq DESC LIMIT 1), 1) AS end_seq
     ) closed
     CROSS JOIN LATERAL (SELECT ($2::date + 1)::timestamp AT TIME ZONE 'UTC' AS at) day_end
     LEFT JOIN LATERAL (
       SELECT ledger_seq_at(f.account_id, day_end.at) AS end_seq FROM ledger_entry e
       WHERE e.account_id = f.account_id AND e.seq = closed.end_seq AND e.created_at < day_end.at
     ) today ON true
     ORDER BY f.account_id`,
    [from.accountId, day, ACCOUNTS_TOGETHER],
  );
  return rows.map(({ account_id: accountId, first_seq, end_seq }) => ({
    accountId,
    range: end_seq === null ? undefined : { accountId, firstSeq: BigInt(first_seq), endSeq: BigInt(end_seq) },
  }));
}

async function noteBlocks(
  client: pg.ClientBase,
  day: string,
  position: number,
  ranges: readonly EntryRange[],
): Promise<void> {
  const contents = await readBlocks(client, ranges);
  await client.query('SELECT ledger_note_root_blocks($1, $2, $3, $4, $5, $6, $7)', [
    ...[day, position],
    ranges.map(({ accountId }) => accountId),
    ranges.map(({ firstSeq }) => String(firstSeq)),
    contents.map(({ leaves }) => leaves.length),
    contents.map(({ amountNano }) => String(amountNano)),
    contents.map(({ leaves }) => hashBlock(leaves)),
  ]);
}

/** Signs the roots that have no signature yet. */
async function signRoots(client: pg.ClientBase, signer: RootSigner): Promise<number> {
  const { rows } = await client.query<DayRoot>(
    'SELECT day::text, root, previous FROM ledger_root WHERE signature IS NULL ORDER BY ledger_root.day',
  );
  for (const root of rows)
    await client.query('SELECT ledger_sign_root($1, $2, $3)', [
      root.day,
      signer.publicKey,
      signer.sign(root),
    ]);
  return rows.length;
}
