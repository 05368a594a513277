import { inPieces } from '@farebox/database';
import { Turns, within } from '@farebox/flow';
import type pg from 'pg';
import type { IdempotencyClaim } from '../hold';

/** The owner of an answer, which is kept under the hold of its request. */
export interface AnswerOwner {
  holdId: string;
  accountId: string;
}

/** The claim of a charged request's answer: an Idempotency-Key of an API key. */
export interface AnswerClaim extends AnswerOwner {
  apiKeyId: string;
  key: string;
}

/** Cannot occur in an Idempotency-Key, which is ASCII. */
const OF_NO_CLIENT = '§';

/** The claim for items that later requests may name, but a repetition does not get. */
export function claimOfItems(holdId: string): IdempotencyClaim {
  return { key: OF_NO_CLIENT + holdId, fingerprint: Buffer.alloc(32) };
}

/** The stored form of an answer: with its claim, or in parts. */
export type KeptBytes =
  { kind: 'whole'; bytes: Uint8Array } | { kind: 'parts'; parts: readonly Uint8Array[] };

/** Size of a part: small enough that encrypting or sending one delays nobody. */
export const PART_BYTES = 64 * 1024;
/** Connections of the pool to use: the others serve the queries before a request may run. */
const MAX_AT_ONCE = 2;
/** A customer waits for this: an answer that takes longer is sent but not kept. */
const LONGEST_WRITE_MS = 5_000;

/**
 * Reads and writes long answers part by part, in turn by account: an account with much to read or write
 * delays only itself.
 */
export function createKeptAnswers({
  pool,
  keptBytesPerAccount,
  longestWriteMs = LONGEST_WRITE_MS,
}: {
  pool: Pick<pg.Pool, 'query'>;
  keptBytesPerAccount: number;
  /** After this the charge is made without the answer. */
  longestWriteMs?: number;
}) {
  const turns = new Turns({ atOnce: MAX_AT_ONCE });

  async function writePart(
    { holdId, accountId }: AnswerOwner,
    part: number,
    bytes: Uint8Array,
  ): Promise<boolean> {
    const { rows } = await pool.query<{ has_room: boolean }>({
      name: 'stage_answer',
      text: 'SELECT ledger_stage_answer($1, $2, $3, $4, $5) AS has_room',
      values: [
        holdId,
        accountId,
        part,
        Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length),
        keptBytesPerAccount,
      ],
    });
    return rows[0]?.has_room === true;
  }

  async function readPart(claim: AnswerClaim, part: number): Promise<Buffer | null | undefined> {
    const { rows } = await pool.query<{ ciphertext: Buffer | null }>({
      name: 'kept_answer_part',
      text: 'SELECT ledger_kept_answer_part($1, $2, $3, $4, $5) AS ciphertext',
      values: [...valuesOf(claim), part],
    });
    return rows[0]?.ciphertext;
  }

  return {
    /**
     * Writes a long answer, part by part. Returns whether all of it was written, in time and within the
     * account's limit. Does not throw.
     */
    async write(owner: AnswerOwner, parts: Iterable<Uint8Array>): Promise<boolean> {
      const endsAtMs = performance.now() + longestWriteMs;
      let part = 0;
      try {
        for (const bytes of parts) {
          const at = part++;
          const writing = turns.take(owner.accountId, () =>
            performance.now() < endsAtMs ? writePart(owner, at, bytes) : Promise.resolve(false),
          );
          // A part that is still being written keeps its turn until it ends, and is purged like any without a
          // charge.
          if (!(await within(endsAtMs - performance.now(), writing))) return false;
        }
        return true;
      } catch {
        // Other calls report a failing database.
        return false;
      }
    },
    /** Reads a long or short answer; undefined if it is no longer kept. */
    async read(claim: AnswerClaim): Promise<KeptBytes | undefined> {
      const { rows } = await pool.query<{ answer: Buffer | null }>({
        name: 'kept_answer',
        text: 'SELECT ledger_kept_answer($1, $2, $3, $4) AS answer',
        values: valuesOf(claim),
      });
      const answer = rows[0]?.answer;
      if (!answer) return undefined;
      if (answer.length > 0) return { kind: 'whole', bytes: answer };
      const parts: Uint8Array[] = [];
      for (;;) {
        const part = await turns.take(claim.accountId, () => readPart(claim, parts.length));
        if (!part) return { kind: 'parts', parts };
        parts.push(part);
      }
    },
  };
}

const valuesOf = ({ accountId, apiKeyId, key, holdId }: AnswerClaim): string[] => [
  accountId,
  apiKeyId,
  key,
  holdId,
];

/** Answers in parts per purge. Each has up to a thousand parts. */
const PURGED_IN_PARTS = 20;

/**
 * Deletes expired answers that were kept for repeated requests, and parts that were never charged. Returns
 * the number of answers.
 */
export async function purgeKeptAnswers(pool: Pick<pg.Pool, 'query'>): Promise<number> {
  await inPieces(pool, 'SELECT ledger_purge_kept_parts($1) AS count', PURGED_IN_PARTS);
  return inPieces(pool, 'SELECT ledger_purge_answers($1) AS count', 1_000);
}
