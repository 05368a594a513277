import { inPieces } from '@farebox/database';
import { Turns, within } from '@farebox/flow';
import type pg from 'pg';
import type { IdempotencyClaim } from '../hold';

/** Whose answer it is: it is kept under the hold of its request. */
export interface AnswerOwner {
  holdId: string;
  accountId: string;
}

/** Where the answer of a charged request is kept: under the Idempotency-Key of an API key. */
export interface AnswerClaim extends AnswerOwner {
  apiKeyId: string;
  key: string;
}

/** No Idempotency-Key has this letter: they are ASCII. */
const OF_NO_CLIENT = '§';

/** The claim under which is kept what no repetition of a request is given, but a later request may name. */
export function claimOfItems(holdId: string): IdempotencyClaim {
  return { key: OF_NO_CLIENT + holdId, fingerprint: Buffer.alloc(32) };
}

/** An answer as it is kept: with its claim, or in parts. */
export type KeptBytes =
  { kind: 'whole'; bytes: Uint8Array } | { kind: 'parts'; parts: readonly Uint8Array[] };

/** What an answer is cut into. Neither encrypting nor sending one of them holds anybody up. */
export const PART_BYTES = 64 * 1024;
/** Of the pool's connections: the others are there for what is asked before a request may run. */
const MAX_AT_ONCE = 2;
/** A customer waits for this: an answer that takes longer is given, and not kept. */
const LONGEST_WRITE_MS = 5_000;

/** Long answers, part by part, a turn for each account: who writes or reads much waits for themselves. */
export function createKeptAnswers({
  pool,
  keptBytesPerAccount,
  longestWriteMs = LONGEST_WRITE_MS,
}: {
  pool: Pick<pg.Pool, 'query'>;
  keptBytesPerAccount: number;
  /** Then the charge is made without it. */
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
     * Writes a long answer, part by part. Answers whether all of it was written, in time and within the account's
     * room. Does not throw.
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
          // A part that is written later keeps its turn till then, and is deleted as what no charge follows.
          if (!(await within(endsAtMs - performance.now(), writing))) return false;
        }
        return true;
      } catch {
        // What is wrong with the database is told by those who need it more.
        return false;
      }
    },
    /** A long or a short one; undefined if it is not kept any more. */
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

/** Of answers that are kept in parts. Each has up to a thousand. */
const PURGED_IN_PARTS = 20;

/**
 * Deletes the answers that were kept for repeated requests and have had their time, and parts that were never charged.
 * Answers with the number of answers.
 */
export async function purgeKeptAnswers(pool: Pick<pg.Pool, 'query'>): Promise<number> {
  await inPieces(pool, 'SELECT ledger_purge_kept_parts($1) AS count', PURGED_IN_PARTS);
  return inPieces(pool, 'SELECT ledger_purge_answers($1) AS count', 1_000);
}
