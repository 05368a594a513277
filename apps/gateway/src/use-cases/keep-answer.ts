import { PART_BYTES, type AnswerCipher, type GatewayLedger, type KeptBytes } from '@farebox/ledger';
import { fromKeptBytes, toKeptBytes, type KeptAnswer } from './kept-answer';

export interface KeepAnswerDeps {
  ledger: GatewayLedger;
  answers: AnswerCipher;
  /** A longer answer is given and charged, and not kept. */
  keptBytesPerAnswer: number;
}

/** Up to this length an answer goes with its charge, in the call that carries the charges of others as well. */
const LONGEST_WITH_CHARGE = 16 * 1024;

/**
 * Encrypts an answer for its repetition. A long one is written here, in parts, before its charge. Answers with what the
 * charge is to say of it; undefined if it is not kept: it is too long, or could not be written.
 */
export async function keepAnswer(
  { ledger, answers, keptBytesPerAnswer }: KeepAnswerDeps,
  owner: { holdId: string; accountId: string },
  answer: KeptAnswer | undefined,
): Promise<Uint8Array | 'staged' | undefined> {
  const bytes = answer && toKeptBytes(answer);
  if (!bytes || bytes.length > keptBytesPerAnswer) return undefined;
  if (bytes.length <= LONGEST_WITH_CHARGE) return answers.encrypt(bytes, owner.holdId);
  const isWritten = await ledger.stageAnswer(owner, encryptedParts(answers, owner.holdId, bytes));
  return isWritten ? 'staged' : undefined;
}

/** Throws if the answer cannot be read: it was altered, is not whole, or its key is gone. */
export function decryptAnswer(answers: AnswerCipher, holdId: string, kept: KeptBytes): KeptAnswer {
  if (kept.kind === 'whole') return fromKeptBytes(answers.decrypt(kept.bytes, holdId));
  const { parts } = kept;
  return fromKeptBytes(
    Buffer.concat(parts.map((part, i) => answers.decrypt(part, nameOfPart(holdId, i, parts.length)))),
  );
}

/** Each is encrypted when its turn has come. */
function* encryptedParts(answers: AnswerCipher, holdId: string, bytes: Buffer): Generator<Buffer> {
  const parts = Math.ceil(bytes.length / PART_BYTES);
  for (let i = 0; i < parts; i++)
    yield answers.encrypt(bytes.subarray(i * PART_BYTES, (i + 1) * PART_BYTES), nameOfPart(holdId, i, parts));
}

/** What a part is bound to: no other can take its place, and none can be left out. */
function nameOfPart(holdId: string, part: number, parts: number): string {
  return `${holdId} ${String(part)}/${String(parts)}`;
}
