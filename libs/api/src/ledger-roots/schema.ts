import { z } from 'zod';
import { listPage, pageLimit, unixSeconds } from '../fields';

const DAY_MESSAGE = 'must be a day in UTC, like 2026-11-20';
const day = z.iso.date(DAY_MESSAGE);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** The signed root of the ledger's entries of a day. */
export const ledgerRoot = z.strictObject({
  object: z.literal('ledger_root'),
  day: day.describe('The UTC day whose entries it is over.'),
  root: sha256.describe('Of the Merkle tree over all entries of the day, in hex.'),
  previous: sha256.describe('SHA-256 of the signed text of the day before, in hex; zeros for the first day.'),
  public_key: sha256
    .nullable()
    .describe('The Ed25519 key that signed it, in hex; null as long as it is not signed.'),
  signature: z
    .string()
    .regex(/^[0-9a-f]{128}$/)
    .nullable()
    .describe(
      'In hex, of these four lines, each with its end: `farebox ledger root 1`, `day …`, `root …`, `previous …`.',
    ),
  closed_at: unixSeconds,
});
export type LedgerRootRecord = z.output<typeof ledgerRoot>;

export const ledgerRootList = listPage(ledgerRoot);

/** `GET /v1/ledger/roots`. */
export const listLedgerRootsQuery = z.strictObject({
  limit: pageLimit,
  after: day.optional().describe('The last day of the page before.'),
});

/** That an entry of the account's ledger is among those of its day. */
export const ledgerProof = z.strictObject({
  object: z.literal('ledger_proof'),
  transaction_id: z.string().regex(/^txn_[0-9a-z]{26}$/),
  entry: z
    .string()
    .describe(
      'The leaf: version, id, account, number, kind, from and to book, amount and balance after it in billionths of a ' +
        'dollar, refunded charge or `-`, and time, separated by spaces. The ids are UUIDs.',
    ),
  path: z
    .array(z.strictObject({ side: z.enum(['left', 'right']), hash: sha256 }))
    .describe(
      'From SHA-256 of a zero byte and the leaf to the root: each step is SHA-256 of a byte of one and both hashes, `hash` ' +
        'on its `side`.',
    ),
  root: ledgerRoot,
});
export type LedgerProofRecord = z.output<typeof ledgerProof>;
