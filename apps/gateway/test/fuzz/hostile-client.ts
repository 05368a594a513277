import { chatCompletion, chatCompletionChunk, embeddingsList } from '@farebox/api';
import { ERROR_CODES } from '@farebox/errors';
import { bodyOf, eventsOf, WIRE_CASES } from '../wires';
import type { WireTold } from '../wires/wire-case';
import type { HostileAnswer } from './generate/upstream-answer';

/** A client of a hostile upstream: asks by the wire that its answer is for, and says what is wrong with what comes. */

export const MAX_TOKENS = 20;
/** No upstream can bring these about. */
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
  /** What became of it, in words. Throws if it is not one of the things that may. */
  judge(received: Received): string;
}

const EMBEDDINGS: Pick<HostileAsk, 'path' | 'headers'> = {
  path: '/v1/embeddings',
  headers: (secret) => ({ authorization: `Bearer ${secret}` }),
};

/** `prompt` says which answer the upstream is to give. */
export function askFor({ wire: name, stream, n }: HostileAnswer, model: string, prompt: string): HostileAsk {
  const wire = WIRE_CASES.find((one) => one.name === name);
  if (!wire) {
    const input = Array.from({ length: n }, () => prompt);
    return { ...EMBEDDINGS, body: { model, input }, judge: (received) => judgeEmbeddings(received, n) };
  }
  // The other wires have no word for it.
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
      const told = stream ? wire.readStream(eventsOf(body)) : wire.readWhole(JSON.parse(body));
      if (name === 'chat completions') requireChoices(body, stream, choices);
      return stream ? judgeStream(told, isCut, choices) : judgeWhole(told, isCut, choices);
    },
  };
}

function judgeWhole(told: WireTold, isCut: boolean, choices: number): string {
  if (isCut) throw new Error('a response in one piece was cut');
  requireUsage(told, choices);
  return '200 in one piece';
}

function judgeStream(told: WireTold, isCut: boolean, choices: number): string {
  if (told.isWhole) {
    if (isCut || told.error !== undefined) throw new Error('a complete stream was cut, or says an error');
    requireUsage(told, choices);
    return '200 stream, done';
  }
  if (!isCut) throw new Error('a stream without an end ended as if all were well');
  return `200 stream, ${codeOf(told.error)}`;
}

function requireUsage({ usage }: WireTold, choices: number): void {
  if (!usage) throw new Error('nothing is said of what was used');
  if (usage.outputTokens > MAX_TOKENS * choices) throw new Error('more tokens than were asked for');
}

/** None that nobody asked for. */
function requireChoices(body: string, stream: boolean, most: number): void {
  const indexes = stream
    ? eventsOf(body)
        .filter((event) => event !== '[DONE]' && !event.includes('"object":"error"'))
        .flatMap((event) => chatCompletionChunk.parse(JSON.parse(event)).choices.map(({ index }) => index))
    : chatCompletion.parse(JSON.parse(body)).choices.map(({ index }) => index);
  if (indexes.some((index) => index >= most)) throw new Error('a choice that nobody asked for');
}

function judgeEmbeddings({ status, body, isCut }: Received, inputs: number): string {
  if (isCut) throw new Error('embeddings were cut');
  const json: unknown = JSON.parse(body);
  if (status !== 200) {
    const { error } = json as { error?: { code: string } };
    return `${String(status)} ${codeOf(error?.code)}`;
  }
  const { data } = embeddingsList.parse(json);
  if (data.length !== inputs || data.some(({ index }, at) => index !== at))
    throw new Error('not one embedding for each input, in their order');
  return '200 in one piece';
}

function codeOf(code = ''): string {
  if (!Object.hasOwn(ERROR_CODES, code) || NEVER.includes(code)) throw new Error(`the error ${code}`);
  return code;
}
