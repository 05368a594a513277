import type { Queryable } from '@farebox/database';
import { DAY_MS } from '@farebox/flow';
import { GROUP_BLOCKS, hashBlock, readBlocks } from './blocks';
import { hashTree } from './merkle';
import { hashStatement, isSignedBy, NO_DAY_BEFORE, type DayRoot } from './statement';

/** Something that is not as it was when its day was closed. */
export interface RootDifference {
  day: string;
  /** Null if it is about the day as a whole. */
  accountId: string | null;
  /** The entries of the account in which it is. */
  firstSeq: bigint | null;
  lastSeq: bigint | null;
  detail: string;
}

export interface RootVerification {
  ok: boolean;
  /** The days that were read. Null if there are none. */
  firstDay: string | null;
  lastDay: string | null;
  days: number;
  entries: bigint;
  /** The first ones, in the order of days. */
  differences: RootDifference[];
}

export interface VerifyRootsOptions {
  /** The first day to read; not given: all of them. */
  since?: string | undefined;
  /** Called after each day. */
  onDay?: (day: string, entries: bigint) => void;
}

/** Enough to see what happened: one change by hand may affect every day after it. */
const MOST_DIFFERENCES = 20;

/**
 * Recomputes the roots of closed days from the entries, beside running requests, and compares them with the stored
 * ones: blocks, root, the chain of days, and signatures. Entries of a closed day that are in no block are found too.
 */
export async function verifyRoots(
  pool: Queryable,
  { since, onDay }: VerifyRootsOptions = {},
): Promise<RootVerification> {
  const differences: RootDifference[] = [];
  let entries = 0n;
  const roots = await readRoots(pool, since);
  let before = await readRootBefore(pool, roots[0]?.day);
  for (const root of roots) {
    differences.push(...checkChain(root, before));
    const found = await checkEntries(pool, root);
    differences.push(...found.differences);
    entries += found.entries;
    before = root;
    onDay?.(root.day, entries);
    if (differences.length >= MOST_DIFFERENCES) break;
  }
  if (before) differences.push(...(await findAdded(pool, before.day)));
  return {
    ok: differences.length === 0,
    firstDay: roots[0]?.day ?? null,
    lastDay: roots.at(-1)?.day ?? null,
    days: roots.length,
    entries,
    differences: differences.slice(0, MOST_DIFFERENCES),
  };
}

interface StoredRoot extends DayRoot {
  groups: Buffer;
  publicKey: Buffer | null;
  signature: Buffer | null;
}

const ROOT = 'day::text, root, previous, groups, public_key AS "publicKey", signature';

async function readRoots(pool: Queryable, since: string | undefined): Promise<StoredRoot[]> {
  const { rows } = await pool.query<StoredRoot>(
    `SELECT ${ROOT} FROM ledger_root WHERE $1::date IS NULL OR ledger_root.day >= $1 ORDER BY ledger_root.day`,
    [since ?? null],
  );
  return rows;
}

async function readRootBefore(pool: Queryable, day: string | undefined): Promise<StoredRoot | undefined> {
  const { rows } = await pool.query<StoredRoot>(
    `SELECT ${ROOT} FROM ledger_root WHERE ledger_root.day < $1 ORDER BY ledger_root.day DESC LIMIT 1`,
    [day ?? null],
  );
  return rows[0];
}

function ofDay(day: string, detail: string): RootDifference {
  return { day, accountId: null, firstSeq: null, lastSeq: null, detail };
}

function checkChain(root: StoredRoot, before: StoredRoot | undefined): RootDifference[] {
  const differences: RootDifference[] = [];
  const expected = before ? hashStatement(before) : NO_DAY_BEFORE;
  if (!root.previous.equals(expected) || (before && Date.parse(root.day) - Date.parse(before.day) !== DAY_MS))
    differences.push(ofDay(root.day, 'its root does not continue that of the day before'));
  if (root.publicKey && root.signature && !isSignedBy(root.publicKey, root, root.signature))
    differences.push(ofDay(root.day, 'its root is not the one that was signed'));
  return differences;
}

interface BlockRow {
  position: number;
  account_id: string;
  first_seq: string;
  entries: number;
  hash: Buffer;
}

/** Blocks that are read together. A group is a multiple of it. */
const BLOCKS_TOGETHER = 64;

async function checkEntries(
  pool: Queryable,
  { day, root, groups }: StoredRoot,
): Promise<{ entries: bigint; differences: RootDifference[] }> {
  const differences: RootDifference[] = [];
  const groupHashes: Buffer[] = [];
  let group: Buffer[] = [];
  let entries = 0n;
  for (let from = 0; ; from += BLOCKS_TOGETHER) {
    const { rows } = await pool.query<BlockRow>(
      `SELECT position, account_id, first_seq::text, entries, hash FROM ledger_root_block
       WHERE day = $1 AND position >= $2 AND position < $3 ORDER BY position`,
      [day, from, from + BLOCKS_TOGETHER],
    );
    const ranges = rows.map(toRange);
    const contents = await readBlocks(pool, ranges);
    for (const [i, block] of rows.entries()) {
      const { leaves = [], firstDay, lastDay } = contents[i] ?? {};
      const hash = hashBlock(leaves);
      entries += BigInt(leaves.length);
      group.push(hash);
      const detail = describeBlock(block, leaves.length, hash, firstDay === day && lastDay === day);
      if (detail !== undefined) differences.push(inBlock(day, block, detail));
    }
    if (group.length === GROUP_BLOCKS || rows.length < BLOCKS_TOGETHER) {
      if (group.length > 0) groupHashes.push(hashTree(group));
      group = [];
    }
    if (rows.length < BLOCKS_TOGETHER) break;
  }
  const isRight = hashTree(groupHashes).equals(root) && Buffer.concat(groupHashes).equals(groups);
  // Whatever is in a block changes the root as well.
  if (!isRight && differences.length === 0)
    differences.push(ofDay(day, 'its entries do not give the stored root'));
  return { entries, differences };
}

function toRange({ account_id: accountId, first_seq, entries }: BlockRow) {
  const firstSeq = BigInt(first_seq);
  return { accountId, firstSeq, endSeq: firstSeq + BigInt(entries) };
}

function describeBlock(block: BlockRow, count: number, hash: Buffer, isOfDay: boolean): string | undefined {
  if (count < block.entries) return `entries are missing: ${String(block.entries - count)}`;
  if (count > block.entries) return `entries were added: ${String(count - block.entries)}`;
  if (!hash.equals(block.hash)) return 'an entry was changed';
  return isOfDay ? undefined : 'an entry is of another day';
}

function inBlock(day: string, block: BlockRow, detail: string): RootDifference {
  const { accountId, firstSeq, endSeq } = toRange(block);
  return { day, accountId, firstSeq, lastSeq: endSeq - 1n, detail };
}

/** Entries of closed days that are in no block: numbered before the first one, or after all closed ones. */
async function findAdded(pool: Queryable, lastDay: string): Promise<RootDifference[]> {
  const { rows } = await pool.query<{ day: string; account_id: string; seq: string }>(
    `SELECT (e.created_at AT TIME ZONE 'UTC')::date::text AS day, f.account_id, e.seq::text
     FROM account_funds f
     CROSS JOIN LATERAL (
       SELECT coalesce((SELECT b.first_seq + b.entries FROM ledger_root_block b JOIN ledger_root r ON r.day = b.day
                        WHERE b.account_id = f.account_id ORDER BY b.first_seq DESC LIMIT 1), 1) AS end_seq
     ) closed
     CROSS JOIN LATERAL (
       (SELECT seq, created_at FROM ledger_entry WHERE account_id = f.account_id AND seq < 1 ORDER BY seq LIMIT 1)
       UNION ALL
       (SELECT seq, created_at FROM ledger_entry WHERE account_id = f.account_id AND seq >= closed.end_seq
        ORDER BY seq LIMIT 1)
     ) e
     WHERE e.seq < 1 OR e.created_at < ($1::date + 1)::timestamp AT TIME ZONE 'UTC'
     ORDER BY 1, 2 LIMIT $2`,
    [lastDay, MOST_DIFFERENCES],
  );
  return rows.map(({ day, account_id: accountId, seq }) => {
    const number = BigInt(seq);
    return { day, accountId, firstSeq: number, lastSeq: number, detail: 'an entry was added' };
  });
}

/** Records that the entries of these days were found unchanged. */
export async function noteRootsVerified(pool: Queryable, first: string, last: string): Promise<void> {
  await pool.query('SELECT ledger_note_roots_verified($1, $2)', [first, last]);
}
