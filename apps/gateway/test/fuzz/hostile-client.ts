import { chatCompletion, chatCompletionChunk, embeddingsList } from '@farebox/api';
import { ERROR_CODES } from '@farebox/errors';
import { bodyOf, eventsOf, WIRE_CASES } from '../wires';
import type { WireResult } from '../wires/wire-case';
import type { HostileAnswer } from './generate/upstream-answer';

/**
 * A client of a hostile upstream: sends a request on the wire of the answer, and finds faults in the
 * response.
 */

export const MAX_TOKENS = 20;
/** No upstream can cause these codes. */
const NEVER = ['internal_error', 'billing_error'];

interface Received {
  status: number;
  body: string;
  isCut: boolean;
}

export interface HostileAsk {
  path: string;
  headers(secret: string): Record<string, string>;
  body: object;
  /** The outcome, in words. Throws if it is not a permitted one. */
  judge(received: Received): string;
}

const EMBEDDINGS: Pick<HostileAsk, 'path' | 'headers'> = {
  path: '/v1/embeddings',
  headers: (secret) => ({ authorization: `Bearer ${secret}` }),
};

/** `prompt` selects the answer of the upstream. */
export function askFor({ wire: name, stream, n }: HostileAnswer, model: string, prompt: string): HostileAsk {
  const wire = WIRE_CASES.find((one) => one.name === name);
  if (!wire) {
    const input = Array.from({ length: n }, () => prompt);
    return { ...EMBEDDINGS, body: { model, input }, judge: (received) => judgeEmbeddings(received, n) };
  }
  // The other wires have no field for it.
  const choices = name === 'chat completions' ? n : 1;
  return {
    path: wire.path,
    headers: (secret) => wire.headers(secret),
    body: {
      ...bodyOf(wire, { model, prompt, stream, maxTokens: MAX_TOKENS }),
      ...(choices > 1 && { n: choices }),
    },
    judge({ status, body, isCut }) {
      if (status !== 200) return `${String(status)} ${codeOf(wire.readWhole(JSON.parse(body)).error)}`;
      const result = stream ? wire.readStream(eventsOf(body)) : wire.readWhole(JSON.parse(body));
      if (name === 'chat completions') requireChoices(body, stream, choices);
      return stream ? judgeStream(result, isCut, choices) : judgeWhole(result, isCut, choices);
    },
  };
}

function judgeWhole(result: WireResult, isCut: boolean, choices: number): string {
  if (isCut) throw new Error('a non-streamed response was cut off');
  requireUsage(result, choices);
  return '200 without a stream';
}

function judgeStream(result: WireResult, isCut: boolean, choices: number): string {
  if (result.isWhole) {
    if (isCut || result.error !== undefined)
      throw new Error('a complete stream was cut off, or contains an error');
    requireUsage(result, choices);
    return '200 stream, done';
  }
  if (!isCut) throw new Error('a stream without an end event ended cleanly');
  return `200 stream, ${codeOf(result.error)}`;
}

function requireUsage({ usage }: WireResult, choices: number): void {
  if (!usage) throw new Error('the response has no usage');
  if (usage.outputTokens > MAX_TOKENS * choices) throw new Error('the usage exceeds the requested tokens');
}

/** Choices beyond the requested number are faults. */
function requireChoices(body: string, stream: boolean, most: number): void {
  const indexes = stream
    ? eventsOf(body)
        .filter((event) => event !== '[DONE]' && !event.includes('"object":"error"'))
        .flatMap((event) => chatCompletionChunk.parse(JSON.parse(event)).choices.map(({ index }) => index))
    : chatCompletion.parse(JSON.parse(body)).choices.map(({ index }) => index);
  if (indexes.some((index) => index >= most)) throw new Error('a choice beyond the requested number');
}

function judgeEmbeddings({ status, body, isCut }: Received, inputs: number): string {
  if (isCut) throw new Error('embeddings were cut off');
  const json: unknown = JSON.parse(body);
  if (status !== 200) {
    const { error } = json as { error?: { code: string } };
    return `${String(status)} ${codeOf(error?.code)}`;
  }
  const { data } = embeddingsList.parse(json);
  if (data.length !== inputs || data.some(({ index }, at) => index !== at))
    throw new Error('the embeddings do not match the inputs in number and order');
  return '200 without a stream';
}

function codeOf(code = ''): string {
  if (!Object.hasOwn(ERROR_CODES, code) || NEVER.includes(code)) throw new Error(`the error ${code}`);
  return code;
}
