import type { Queryable } from '@farebox/database';
import { hashLeaf, hashTree } from './merkle';

/** The most entries of a block, and the most blocks of a group: what a proof reads of each. */
export const BLOCK_ENTRIES = 256;
export const GROUP_BLOCKS = 256;

/** Consecutive entries of an account: those from `firstSeq` on, before `endSeq`. */
export interface EntryRange {
  accountId: string;
  firstSeq: bigint;
  endSeq: bigint;
}

/** The entries of a range as leaves, in the order of their numbers, and the sum of their amounts. */
export interface BlockContent {
  leaves: string[];
  amountNano: bigint;
  /** UTC days of its first and last entry. */
  firstDay: string | null;
  lastDay: string | null;
}

/**
 * SQL: an entry as the text of its leaf, version 1. It has every column of the entry, none of which ever changes: a
 * person's data is elsewhere. A field never has a space.
 */
const LEAF = `concat_ws(' ', 'farebox-entry-1', e.id, e.account_id, e.seq, e.kind, e.from_book, e.to_book, e.amount_nano,
  e.balance_after_nano, coalesce(e.refunded_entry_id::text, '-'),
  to_char(e.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))`;

/** The entries of these ranges, one by one. */
export async function readBlocks(client: Queryable, ranges: readonly EntryRange[]): Promise<BlockContent[]> {
  const { rows } = await client.query<{
    leaves: string | null;
    amount_nano: string;
    first_day: string | null;
    last_day: string | null;
  }>(
    `SELECT b.leaves, b.amount_nano::text, b.first_day::text, b.last_day::text
     FROM unnest($1::uuid[], $2::bigint[], $3::bigint[]) WITH ORDINALITY r(account_id, first_seq, end_seq, n)
     CROSS JOIN LATERAL (
       SELECT string_agg(${LEAF}, E'\\n' ORDER BY e.seq, e.id) AS leaves, coalesce(sum(e.amount_nano), 0) AS amount_nano,
              (min(e.created_at) AT TIME ZONE 'UTC')::date AS first_day,
              (max(e.created_at) AT TIME ZONE 'UTC')::date AS last_day
       FROM ledger_entry e WHERE e.account_id = r.account_id AND e.seq >= r.first_seq AND e.seq < r.end_seq
     ) b
     ORDER BY r.n`,
    [
      ranges.map(({ accountId }) => accountId),
      ranges.map(({ firstSeq }) => String(firstSeq)),
      ranges.map(({ endSeq }) => String(endSeq)),
    ],
  );
  return rows.map(({ leaves, amount_nano, first_day, last_day }) => ({
    leaves: leaves === null ? [] : leaves.split('\n'),
    amountNano: BigInt(amount_nano),
    firstDay: first_day,
    lastDay: last_day,
  }));
}

export function hashBlock(leaves: readonly string[]): Buffer {
  return hashTree(leaves.map(hashLeaf));
}

/** The blocks of consecutive entries: full ones, and the rest. */
export function cutIntoBlocks({ accountId, firstSeq, endSeq }: EntryRange): EntryRange[] {
  const blocks: EntryRange[] = [];
  for (let seq = firstSeq; seq < endSeq; seq += BigInt(BLOCK_ENTRIES)) {
    const end = seq + BigInt(BLOCK_ENTRIES);
    blocks.push({ accountId, firstSeq: seq, endSeq: end < endSeq ? end : endSeq });
  }
  return blocks;
}

const HASHES_TOGETHER = 8_192;

/** The hash of each group of the day's blocks. */
export async function readGroupHashes(client: Queryable, day: string): Promise<Buffer[]> {
  const groups: Buffer[] = [];
  for (let from = 0; ; from += HASHES_TOGETHER) {
    const hashes = await readBlockHashes(client, day, from, from + HASHES_TOGETHER);
    for (let i = 0; i < hashes.length; i += GROUP_BLOCKS)
      groups.push(hashTree(hashes.slice(i, i + GROUP_BLOCKS)));
    if (hashes.length < HASHES_TOGETHER) return groups;
  }
}

/** The hashes of the day's blocks from a position on, before another. */
export async function readBlockHashes(
  client: Queryable,
  day: string,
  from: number,
  before: number,
): Promise<Buffer[]> {
  const { rows } = await client.query<{ hash: Buffer }>(
    'SELECT hash FROM ledger_root_block WHERE day = $1 AND position >= $2 AND position < $3 ORDER BY position',
    [day, from, before],
  );
  return rows.map(({ hash }) => hash);
}
