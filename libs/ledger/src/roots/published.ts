import { toPublicId } from '@farebox/auth';
import type { EntryProof, SignedRoot } from './proofs';

// Roots and proofs as everybody gets them, over the API and from the operator's command: hashes are in hex.

export function toPublishedRoot({ day, root, previous, publicKey, signature, closedAt }: SignedRoot) {
  return {
    object: 'ledger_root' as const,
    day,
    root: root.toString('hex'),
    previous: previous.toString('hex'),
    public_key: publicKey?.toString('hex') ?? null,
    signature: signature?.toString('hex') ?? null,
    closed_at: Math.floor(closedAt.getTime() / 1_000),
  };
}

export function toPublishedProof({ entryId, leaf, path, root }: EntryProof) {
  return {
    object: 'ledger_proof' as const,
    transaction_id: toPublicId('txn', entryId),
    entry: leaf,
    path: path.map(({ side, hash }) => ({ side, hash: hash.toString('hex') })),
    root: toPublishedRoot(root),
  };
}
