import { chatCompletion, chatCompletionChunk, messagePhase } from '@farebox/api';
import { ApiError, ERROR_CODES, type ErrorCode } from '@farebox/errors';
import { BYTES_OF_TURN, joinInTurns, Pace, readJsonText } from '@farebox/flow';
import {
  PART_BYTES,
  type AnswerCipher,
  type AnswerClaim,
  type GatewayLedger,
  type KeptBytes,
} from '@farebox/ledger';
import type { Logger } from '@farebox/observability';
import { z } from 'zod';
import { toStoreError } from '../refusals';

/** Format version of the text below. A reader of another version refuses it. */
const VERSION = 1;

const keptError = z.object({
  code: z.enum(Object.keys(ERROR_CODES) as ErrorCode[]),
  message: z.string(),
  param: z.string().nullable(),
});

const keptWhole = z.object({
  kind: z.literal('whole'),
  /** The response's JSON, byte for byte. */
  body: z.string(),
});

const keptStream = z.object({
  kind: z.literal('stream'),
  id: z.string(),
  created: z.int(),
  model: z.string(),
  /** The delivered parts in order; chunks are merged. */
  choices: z.array(
    chatCompletionChunk.shape.choices.element.extend({
      begins: z.object({ phase: messagePhase.exactOptional(), follows: z.boolean() }).exactOptional(),
    }),
  ),
  end: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('done'), usage: chatCompletion.shape.usage }),
    z.object({ kind: z.literal('failed'), error: keptError }),
  ]),
});

const keptItems = z.object({
  kind: z.literal('items'),
  /** The items that a request may send in place of their names. */
  items: z.array(z.looseObject({ id: z.string() })),
});

const keptAnswer = z.discriminatedUnion('kind', [keptWhole, keptStream]);
const versioned = z.object({ v: z.literal(VERSION) });

export type KeptStream = z.output<typeof keptStream>;
export type KeptItems = z.output<typeof keptItems>;
type KeptError = z.output<typeof keptError>;
/** The response to a repetition of a charged request. */
export type KeptAnswer = z.output<typeof keptAnswer>;

/** The JSON of a long response is written in pieces. */
export type AnswerToKeep = KeptAnswer | KeptItems | { kind: 'whole'; body: string | readonly Buffer[] };

export function toKeptBytes(answer: KeptAnswer | KeptItems): Buffer {
  return Buffer.from(JSON.stringify({ v: VERSION, ...answer }));
}

/**
 * `toKeptBytes` for a long whole response, in turns of the event loop. Only single bytes are escaped, so it may be
 * cut anywhere.
 */
export async function toLongKeptBytes(body: readonly Buffer[]): Promise<Buffer> {
  const pieces = [Buffer.from(`{"v":${String(VERSION)},"kind":"whole","body":"`)];
  const pace = new Pace();
  for (const piece of body) {
    for (let start = 0; start < piece.length; start += BYTES_OF_TURN) {
      await pace.giveWay();
      const escaped = JSON.stringify(piece.subarray(start, start + BYTES_OF_TURN).toString('latin1'));
      pieces.push(Buffer.from(escaped.slice(1, -1), 'latin1'));
    }
  }
  return joinInTurns([...pieces, Buffer.from('"}')]);
}

/** Throws if the bytes are not a kept response of this version. The error shows nothing of them. */
export function fromKeptBytes(bytes: Buffer): KeptAnswer {
  return readAs(keptAnswer, parseJson(bytes));
}

/** `fromKeptBytes` in turns of the event loop. */
export async function fromLongKeptBytes(bytes: Buffer): Promise<KeptAnswer> {
  return readAs(keptAnswer, await parseLongJson(bytes));
}

async function parseLongJson(bytes: Buffer): Promise<unknown> {
  const read = await readJsonText(bytes).catch(() => undefined);
  return read?.value;
}

function readAs<Schema extends z.ZodType>(schema: Schema, json: unknown): z.output<Schema> {
  if (!versioned.safeParse(json).success) throw new Error('a kept answer is of another version');
  const answer = schema.safeParse(json);
  if (!answer.success) {
    const [issue] = answer.error.issues;
    throw new Error(`a kept answer is not valid at ${issue?.path.join('.') ?? ''}`);
  }
  return answer.data;
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

export function toKeptError({ code, publicMessage, param }: ApiError): KeptError {
  return { code, message: publicMessage, param };
}

export function fromKeptError({ code, message, param }: KeptError): ApiError {
  return new ApiError(code, { message, param });
}

interface KeepAnswerDeps {
  ledger: GatewayLedger;
  answers: AnswerCipher;
  /** A longer response is sent and charged, but not kept. */
  keptBytesPerAnswer: number;
}

async function bytesOf(answer: AnswerToKeep): Promise<Buffer> {
  if (answer.kind !== 'whole') return toKeptBytes(answer);
  const { kind, body } = answer;
  return typeof body === 'string' ? toKeptBytes({ kind, body }) : toLongKeptBytes(body);
}

/** Up to this length a response is stored with its charge, in the call that also carries other charges. */
const LONGEST_WITH_CHARGE = 16 * 1024;

/**
 * Encrypts a response for its repetition. A long one is written here, in parts, before its charge. Returns the
 * reference for the charge; undefined if it is not kept, because it is too long or could not be written.
 */
export async function keepAnswer(
  { ledger, answers, keptBytesPerAnswer }: KeepAnswerDeps,
  owner: { holdId: string; accountId: string },
  answer: AnswerToKeep | undefined,
): Promise<Uint8Array | 'staged' | undefined> {
  const bytes = answer && (await bytesOf(answer));
  if (!bytes || bytes.length > keptBytesPerAnswer) return undefined;
  if (bytes.length <= LONGEST_WITH_CHARGE) return answers.encrypt(bytes, owner.holdId);
  const isWritten = await ledger.stageAnswer(owner, encryptedParts(answers, owner.holdId, bytes));
  return isWritten ? 'staged' : undefined;
}

/** Throws if the response cannot be read: it was altered, is incomplete, or its key is gone. */
async function decryptAnswer(answers: AnswerCipher, holdId: string, kept: KeptBytes): Promise<KeptAnswer> {
  return readAs(keptAnswer, await decryptJson(answers, holdId, kept));
}

/** `decryptAnswer` for the items that later requests may name. */
export async function decryptItems(
  answers: AnswerCipher,
  holdId: string,
  kept: KeptBytes,
): Promise<KeptItems> {
  return readAs(keptItems, await decryptJson(answers, holdId, kept));
}

async function decryptJson(answers: AnswerCipher, holdId: string, kept: KeptBytes): Promise<unknown> {
  if (kept.kind === 'whole') return parseJson(answers.decrypt(kept.bytes, holdId));
  const decrypted: Buffer[] = [];
  const pace = new Pace();
  for (const [i, part] of kept.parts.entries()) {
    await pace.giveWay();
    decrypted.push(answers.decrypt(part, nameOfPart(holdId, i, kept.parts.length)));
  }
  return parseLongJson(Buffer.concat(decrypted));
}

/** Each part is encrypted in its turn. */
function* encryptedParts(answers: AnswerCipher, holdId: string, bytes: Buffer): Generator<Buffer> {
  const parts = Math.ceil(bytes.length / PART_BYTES);
  for (let i = 0; i < parts; i++)
    yield answers.encrypt(bytes.subarray(i * PART_BYTES, (i + 1) * PART_BYTES), nameOfPart(holdId, i, parts));
}

/** The data that a part is bound to, so that no other can take its place and none can be left out. */
function nameOfPart(holdId: string, part: number, parts: number): string {
  return `${holdId} ${String(part)}/${String(parts)}`;
}

interface KeptAnswerDeps {
  ledger: GatewayLedger;
  answers: AnswerCipher;
  log: Logger;
}

/**
 * The response of a request that was charged before; undefined if it is no longer kept. Throws `service_unavailable`
 * if the database cannot answer, and `billing_error` if the response cannot be read: it was charged, so the request
 * must not run, and be charged, again. `requestId` is the id of the repeating request.
 */
export async function readKeptAnswer(
  { ledger, answers, log }: KeptAnswerDeps,
  claim: AnswerClaim,
  requestId: string,
): Promise<KeptAnswer | undefined> {
  let kept: KeptBytes | undefined;
  try {
    kept = await ledger.readAnswer(claim);
  } catch (cause) {
    throw toStoreError(cause);
  }
  if (!kept) return undefined;
  try {
    return await decryptAnswer(answers, claim.holdId, kept);
  } catch (error) {
    const ids = { request_id: requestId, hold_id: claim.holdId };
    log.error({ event: 'kept_answer_unreadable', ...ids, error }, 'a kept answer cannot be read');
    throw new ApiError('billing_error', {
      message: 'The request was charged before, and its answer cannot be given again. Do not retry it.',
      cause: error,
    });
  }
}
