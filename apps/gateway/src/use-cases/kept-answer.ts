import { chatCompletion, chatCompletionChunk } from '@farebox/contracts';
import { ApiError, ERROR_CODES, type ErrorCode } from '@farebox/errors';
import { z } from 'zod';

/** How the text below is written. A reader of another version refuses it. */
const VERSION = 1;

const keptError = z.object({
  code: z.enum(Object.keys(ERROR_CODES) as ErrorCode[]),
  message: z.string(),
  param: z.string().nullable(),
});

const keptWhole = z.object({
  kind: z.literal('whole'),
  /** The answer's JSON, byte for byte. */
  body: z.string(),
});

const keptStream = z.object({
  kind: z.literal('stream'),
  id: z.string(),
  created: z.int(),
  model: z.string(),
  /** What was delivered, in its order; chunks are merged. */
  choices: chatCompletionChunk.shape.choices,
  end: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('done'), usage: chatCompletion.shape.usage }),
    z.object({ kind: z.literal('failed'), error: keptError }),
  ]),
});

const keptAnswer = z.discriminatedUnion('kind', [keptWhole, keptStream]);
const versioned = z.object({ v: z.literal(VERSION) });

export type KeptStream = z.output<typeof keptStream>;
export type KeptError = z.output<typeof keptError>;
/** What a repetition of a charged request is answered with. */
export type KeptAnswer = z.output<typeof keptAnswer>;

export function toKeptBytes(answer: KeptAnswer): Buffer {
  return Buffer.from(JSON.stringify({ v: VERSION, ...answer }));
}

/** Throws if the bytes are no kept answer of this version; the error shows nothing of them. */
export function fromKeptBytes(bytes: Buffer): KeptAnswer {
  const json = parseJson(bytes);
  if (!versioned.safeParse(json).success) throw new Error('a kept answer is of another version');
  const answer = keptAnswer.safeParse(json);
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
