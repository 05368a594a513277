import { z } from 'zod';
import { CHAT_REQUEST_LIMITS } from '../fields';
import { findFieldsBeside, type UnknownFields } from '../describe-issue';
import { problemBy } from '../own-reading';

/** The input: a text, texts, a text as its tokens, or texts as their tokens. */
export type EmbeddingsInput = string | string[] | number[] | number[][];

const MOST_INPUTS = 2_048;
const MOST_DIMENSIONS = 65_536;
const MOST_TOKEN = 2 ** 31 - 1;

const tokenSchema = { type: 'integer', minimum: 0, maximum: MOST_TOKEN };
const textSchema = { type: 'string', minLength: 1 };
const listOf = (items: object, maxItems?: number) => ({
  type: 'array',
  items,
  minItems: 1,
  ...(maxItems === undefined ? {} : { maxItems }),
});

/** Checked by hand: a hundred thousand tokens with a schema each would delay everybody else. */
const input = z
  .unknown()
  .check(problemBy(findWrongInput))
  .meta({
    'x-wire': {
      oneOf: [
        textSchema,
        listOf(textSchema, MOST_INPUTS),
        listOf(tokenSchema),
        listOf(listOf(tokenSchema), MOST_INPUTS),
      ],
    },
  }) as unknown as z.ZodType<EmbeddingsInput, EmbeddingsInput>;

interface WrongInput {
  path: (string | number)[];
  message: string;
}

const KINDS = 'must be a text, a list of texts, a list of tokens or a list of lists of tokens';
const A_TOKEN = `must be a token: a whole number from 0 to ${String(MOST_TOKEN)}`;

function findWrongInput(value: unknown): WrongInput | undefined {
  if (value === undefined) return { path: [], message: 'is required' };
  if (typeof value === 'string') return value === '' ? { path: [], message: 'must not be empty' } : undefined;
  if (!Array.isArray(value)) return { path: [], message: KINDS };
  const entries: unknown[] = value;
  const [first] = entries;
  if (entries.length === 0) return { path: [], message: 'must not be empty' };
  if (typeof first === 'number') return findWrongToken(entries, []);
  if (typeof first !== 'string' && !Array.isArray(first)) return { path: [], message: KINDS };
  if (entries.length > MOST_INPUTS)
    return { path: [], message: `must have at most ${String(MOST_INPUTS)} entries` };
  for (const [i, entry] of entries.entries()) {
    const wrong = typeof first === 'string' ? findWrongText(entry, i) : findWrongTokens(entry, i);
    if (wrong) return wrong;
  }
  return undefined;
}

function findWrongText(entry: unknown, i: number): WrongInput | undefined {
  if (typeof entry !== 'string') return { path: [i], message: 'must be a text, as the first entry is' };
  return entry === '' ? { path: [i], message: 'must not be empty' } : undefined;
}

function findWrongTokens(entry: unknown, i: number): WrongInput | undefined {
  if (!Array.isArray(entry)) return { path: [i], message: 'must be a list of tokens, as the first entry is' };
  return entry.length === 0 ? { path: [i], message: 'must not be empty' } : findWrongToken(entry, [i]);
}

function findWrongToken(tokens: readonly unknown[], path: number[]): WrongInput | undefined {
  const at = tokens.findIndex((token) => !isToken(token));
  return at < 0 ? undefined : { path: [...path, at], message: A_TOKEN };
}

const isToken = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MOST_TOKEN;

/** Body of `POST /v1/embeddings`. Source: OpenAI API reference, embeddings. */
export const embeddingsRequest = z.object({
  model: z.string().min(1).max(CHAT_REQUEST_LIMITS.modelLength),
  input,
  encoding_format: z.enum(['float', 'base64']).nullish(),
  dimensions: z.int().min(1).max(MOST_DIMENSIONS).nullish(),
  user: z.string().max(CHAT_REQUEST_LIMITS.labelLength).nullish(),
});
export type EmbeddingsRequest = z.output<typeof embeddingsRequest>;

const KNOWN_FIELDS = new Set(Object.keys(embeddingsRequest.shape));

/** The fields of a body that were dropped when it was read as `taken`. */
export function findUnknownEmbeddingsFields(body: unknown, taken: EmbeddingsRequest): UnknownFields {
  return findFieldsBeside(KNOWN_FIELDS, body, taken);
}

/** Response of `POST /v1/embeddings`. */
export const embeddingsList = z.strictObject({
  object: z.literal('list'),
  data: z.array(
    z.strictObject({
      object: z.literal('embedding'),
      index: z.int().min(0),
      embedding: z
        .union([z.array(z.number()), z.string()])
        .describe('Numbers, or with `encoding_format: base64` 32-bit floats, little-endian.'),
    }),
  ),
  model: z.string(),
  usage: z.strictObject({
    prompt_tokens: z.int().min(0),
    total_tokens: z.int().min(0),
    cost: z.string().regex(/^\d+\.\d{9}$/),
  }),
});
