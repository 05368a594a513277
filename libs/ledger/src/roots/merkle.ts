import { hash } from 'node:crypto';

// The hashes of RFC 6962, section 2.1: a leaf and an inner node can never be mistaken for each other.

const BYTES = 32;
const LEAF = '\x00';
const NODE = 1;

/** One step from a hash to the one above it: the hash beside it, and its side. */
export interface PathStep {
  side: 'left' | 'right';
  hash: Buffer;
}

/** A leaf's text is ASCII. */
export function hashLeaf(text: string): Buffer {
  return hash('sha256', LEAF + text, 'buffer');
}

const pair = Buffer.alloc(1 + 2 * BYTES, NODE);

function hashNode(left: Buffer, right: Buffer): Buffer {
  left.copy(pair, 1);
  right.copy(pair, 1 + BYTES);
  return hash('sha256', pair, 'buffer');
}

/** The hash of a tree over these hashes; of the empty text if there are none. */
export function hashTree(hashes: readonly Buffer[]): Buffer {
  let level = hashes;
  while (level.length > 1) level = levelAbove(level);
  return level[0] ?? hash('sha256', '', 'buffer');
}

/** The steps from the hash at this index up to the hash of the tree. */
export function pathOf(hashes: readonly Buffer[], index: number): PathStep[] {
  const path: PathStep[] = [];
  let at = index;
  for (let level = hashes; level.length > 1; level = levelAbove(level)) {
    const isLeft = at % 2 === 0;
    const beside = level[isLeft ? at + 1 : at - 1];
    if (beside) path.push({ side: isLeft ? 'right' : 'left', hash: beside });
    at = Math.floor(at / 2);
  }
  return path;
}

/** A last hash without a neighbour goes up as it is, which is how the RFC splits a tree of any size. */
function levelAbove(level: readonly Buffer[]): Buffer[] {
  const above: Buffer[] = [];
  for (let i = 0; i < level.length; i += 2) {
    const [left, right] = [level[i], level[i + 1]];
    if (left) above.push(right ? hashNode(left, right) : left);
  }
  return above;
}

/** The hashes in a column that has them one after the other. */
export function splitHashes(bytes: Buffer): Buffer[] {
  return Array.from({ length: bytes.length / BYTES }, (_, i) => bytes.subarray(i * BYTES, (i + 1) * BYTES));
}
