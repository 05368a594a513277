import { randomBytes } from 'node:crypto';
import { BYTES_OF_TURN, Pace, readJsonText } from '@farebox/flow';
import { asFields, asIndex } from './answer-parts';
import { failureOfEvent } from './failed-answers';
import type { UsageReport } from './usage/report';
import { usageOf } from './usage/usage-reader';

type EmbeddingFormat = 'float' | 'base64';

/** The part of the request that the answer must match. */
interface AskedEmbeddings {
  inputs: number;
  format: EmbeddingFormat;
}

/** An upstream's embeddings, with only the fields that may be passed on. */
export interface EmbeddingsAnswer {
  /** As JSON in the requested format, in the order of the inputs. */
  vectors: Buffer[];
  /** Length of each vector. */
  dimensions: number;
  usage: UsageReport | undefined;
}

/**
 * Reads an upstream's response. Throws if it is invalid: no JSON, an error, not exactly one vector for each
 * input, vectors of different lengths, or entries that are not numbers.
 */
export function readEmbeddings(body: Buffer, asked: AskedEmbeddings): EmbeddingsAnswer {
  const { entries, usage } = partsOf(JSON.parse(body.toString('utf8')), asked);
  return answerOf(
    entries.map((entry) => toVector(entry, asked.format)),
    usage,
  );
}

/**
 * `readEmbeddings` of a long response, in turns of the event loop: sixty megabytes of numbers would block it
 * for a second.
 */
export async function readLongEmbeddings(body: Buffer, asked: AskedEmbeddings): Promise<EmbeddingsAnswer> {
  const { around, mark, lists } = cutOutLists(body);
  const { value } = await readJsonText(around);
  const { entries, usage } = partsOf(value, asked);
  const pace = new Pace();
  const vectors: Vector[] = [];
  let sinceTurn = 0;
  for (const entry of entries) {
    const list =
      typeof entry === 'string' && entry.startsWith(mark)
        ? lists[Number(entry.slice(mark.length))]
        : undefined;
    const vector = toVector(list ?? entry, asked.format);
    vectors.push(vector);
    sinceTurn += Math.max(list?.length ?? 0, vector.json.length);
    if (sinceTurn < BYTES_OF_TURN) continue;
    sinceTurn = 0;
    await pace.giveWay();
  }
  return answerOf(vectors, usage);
}

/** Shorter lists of numbers are parsed with the surrounding text. */
const LONG_LIST_BYTES = 256;
const [OPENING, CLOSING, MINUS, ZERO, NINE] = [...Buffer.from('[]-09')] as [
  number,
  number,
  number,
  number,
  number,
];

/**
 * Cuts the long lists of numbers out of a JSON text and leaves a mark in place of each. A mark within a
 * string makes the text invalid JSON, so none is passed on.
 */
function cutOutLists(body: Buffer): { around: Buffer; mark: string; lists: Buffer[] } {
  const mark = randomBytes(16).toString('hex');
  const lists: Buffer[] = [];
  const pieces: Buffer[] = [];
  let from = 0;
  let closing = -1;
  for (let at = body.indexOf(OPENING); at >= 0; at = body.indexOf(OPENING, at + 1)) {
    if (!beginsNumber(body, at + 1)) continue;
    if (closing < at) closing = body.indexOf(CLOSING, at);
    if (closing < 0) break;
    if (closing - at < LONG_LIST_BYTES) continue;
    pieces.push(body.subarray(from, at), Buffer.from(`"${mark}${String(lists.length)}"`));
    lists.push(body.subarray(at, closing + 1));
    from = at = closing + 1;
  }
  pieces.push(body.subarray(from));
  return { around: Buffer.concat(pieces), mark, lists };
}

function beginsNumber(body: Buffer, at: number): boolean {
  let first = at;
  while ((body[first] ?? CLOSING) <= 0x20) first++;
  const byte = body[first] ?? 0;
  return byte === MINUS || (byte >= ZERO && byte <= NINE);
}

/** The vectors as received, in the order of the inputs. */
function partsOf(
  value: unknown,
  { inputs }: AskedEmbeddings,
): { entries: unknown[]; usage: EmbeddingsAnswer['usage'] } {
  const fields = asFields(value);
  if (fields?.['error'] != null) throw failureOfEvent(fields['error']);
  const data: unknown = fields?.['data'];
  if (!fields || !Array.isArray(data) || data.length !== inputs)
    throw new Error('the answer does not have one embedding for each input');
  const entries = new Map<number, unknown>();
  for (const [position, entry] of (data as unknown[]).entries()) {
    const embedded = asFields(entry);
    const index = asIndex(embedded?.['index'] ?? position);
    if (index === undefined || index >= inputs) throw new Error('an embedding belongs to no input');
    entries.set(index, embedded?.['embedding']);
  }
  if (entries.size < inputs) throw new Error('an input has two embeddings');
  return {
    entries: Array.from({ length: inputs }, (_, i) => entries.get(i)),
    usage: usageOf(fields, 'embeddings'),
  };
}

interface Vector {
  json: Buffer;
  dimensions: number;
}

function answerOf(vectors: readonly Vector[], usage: EmbeddingsAnswer['usage']): EmbeddingsAnswer {
  const dimensions = vectors[0]?.dimensions ?? 0;
  if (vectors.some((vector) => vector.dimensions !== dimensions))
    throw new Error('the embeddings are of different lengths');
  return { vectors: vectors.map(({ json }) => json), dimensions, usage };
}

/** Servers send numbers or base64, some of them regardless of the request. A list may come as its text. */
function toVector(entry: unknown, format: EmbeddingFormat): Vector {
  if (typeof entry === 'string') return fromBase64(entry, format);
  const isText = Buffer.isBuffer(entry);
  const numbers: unknown = isText ? JSON.parse(entry.toString('latin1')) : entry;
  if (!Array.isArray(numbers) || numbers.length === 0 || !numbers.every(Number.isFinite))
    throw new Error('an embedding is not a list of numbers');
  const dimensions = numbers.length;
  if (format === 'float') return { json: isText ? entry : Buffer.from(JSON.stringify(numbers)), dimensions };
  const floats = Float32Array.from(numbers as number[]);
  requireFinite(floats);
  return { json: Buffer.from(`"${Buffer.from(floats.buffer).toString('base64')}"`), dimensions };
}

function fromBase64(text: string, format: EmbeddingFormat): Vector {
  const bytes = Buffer.from(text, 'base64');
  const isWhole = bytes.length > 0 && bytes.length % Float32Array.BYTES_PER_ELEMENT === 0;
  if (!isWhole || bytes.toString('base64') !== text) throw new Error('an embedding is not in base64');
  // Copies, because the bytes may not be aligned in a larger buffer.
  const floats = new Float32Array(Uint8Array.from(bytes).buffer);
  requireFinite(floats);
  const json = format === 'base64' ? `"${text}"` : JSON.stringify(Array.from(floats));
  return { json: Buffer.from(json), dimensions: floats.length };
}

function requireFinite(floats: Float32Array): void {
  if (!floats.every(Number.isFinite)) throw new Error('an embedding has an invalid number');
}
