import type { Queryable } from '@farebox/database';
import { GROUP_BLOCKS, readBlockHashes, readBlocks } from './blocks';
import { hashLeaf, pathOf, splitHashes, type PathStep } from './merkle';
import type { DayRoot } from './statement';

/** A root as it is published. */
export interface SignedRoot extends DayRoot {
  closedAt: Date;
  /** Both are null while it is not signed. */
  publicKey: Buffer | null;
  signature: Buffer | null;
}

/** A root as an operator sees it: more than is published. */
export interface StoredDay extends SignedRoot {
  entries: bigint;
  amountNano: bigint;
  verifiedAt: Date | null;
}

/** That an entry is among those of a day: the steps from its leaf to the day's root. */
export interface EntryProof {
  entryId: string;
  leaf: string;
  path: PathStep[];
  root: SignedRoot;
}

const SIGNED =
  'r.day::text, r.root, r.previous, r.closed_at AS "closedAt", r.public_key AS "publicKey", r.signature';

/** The roots of closed days, newest first: those before the day `before`. */
export async function listRoots(
  pool: Queryable,
  { before, limit }: { before?: string | undefined; limit: number },
): Promise<StoredDay[]> {
  const { rows } = await pool.query<
    Omit<StoredDay, 'entries' | 'amountNano'> & { entries: string; amountNano: string }
  >(
    `SELECT ${SIGNED}, r.entries::text, r.amount_nano::text AS "amountNano", r.verified_at AS "verifiedAt"
     FROM ledger_root r WHERE $1::date IS NULL OR r.day < $1 ORDER BY r.day DESC LIMIT $2`,
    [before ?? null, limit],
  );
  return rows.map((row) => ({ ...row, entries: BigInt(row.entries), amountNano: BigInt(row.amountNano) }));
}

/**
 * The proof of an account's entry, made from the entries as they are now: of a block, its group and the day's groups.
 * Undefined as long as its day has no root.
 */
export async function findProof(
  pool: Queryable,
  accountId: string,
  entryId: string,
): Promise<EntryProof | undefined> {
  const { rows } = await pool.query<ProofRow>(
    `SELECT ${SIGNED}, r.groups, b.position, b.first_seq::text AS "firstSeq", b.entries, e.seq::text
     FROM (SELECT seq FROM ledger_entry WHERE id = $2 AND account_id = $1) e
     CROSS JOIN LATERAL (
       SELECT day, position, first_seq, entries FROM ledger_root_block
       WHERE account_id = $1 AND first_seq <= e.seq ORDER BY first_seq DESC LIMIT 1
     ) b
     JOIN ledger_root r ON r.day = b.day
     WHERE e.seq < b.first_seq + b.entries`,
    [accountId, entryId],
  );
  const [row] = rows;
  if (!row) return undefined;
  const { groups, position, firstSeq, entries, seq, ...root } = row;
  const range = { accountId, firstSeq: BigInt(firstSeq), endSeq: BigInt(firstSeq) + BigInt(entries) };
  const [block] = await readBlocks(pool, [range]);
  const leaves = block?.leaves ?? [];
  const index = Number(BigInt(seq) - range.firstSeq);
  const group = Math.floor(position / GROUP_BLOCKS);
  const start = group * GROUP_BLOCKS;
  const blockHashes = await readBlockHashes(pool, root.day, start, start + GROUP_BLOCKS);
  return {
    entryId,
    leaf: leaves[index] ?? '',
    path: [
      ...pathOf(leaves.map(hashLeaf), index),
      ...pathOf(blockHashes, position - start),
      ...pathOf(splitHashes(groups), group),
    ],
    root,
  };
}

interface ProofRow extends SignedRoot {
  groups: Buffer;
  position: number;
  firstSeq: string;
  entries: number;
  seq: string;
}
