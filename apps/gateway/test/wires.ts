import { randomUUID } from 'node:crypto';
import type { ErrorCode } from '@farebox/errors';
import type { GatewayHarness } from './gateway-harness';
import { chatCase } from './wires/chat-case';
import { messagesCase } from './wires/messages-case';
import { responsesCase } from './wires/responses-case';

/** What a client asks for, whatever it speaks. */
export interface WireAsk {
  model: string;
  /** Default: the same few words. */
  prompt?: string;
  stream?: boolean;
  /** Default 50. */
  maxTokens?: number;
  /** A function is offered, and must be called. */
  tool?: boolean;
}

/** What a client makes of a response, whatever it speaks. */
export interface WireTold {
  /** Of the response, as this wire calls it. */
  id: string;
  text: string;
  /** Names of the functions that are called. */
  calls: string[];
  /** None if the response is not whole. `inputTokens` has those of a cache too. */
  usage: { inputTokens: number; outputTokens: number; cost: string } | undefined;
  /** As this wire names it; undefined if there is none. */
  error: string | undefined;
  /** The response says that it has come to its end. */
  isWhole: boolean;
}

/** How the clients of one wire ask and read: what is held against every wire is held against each by this. */
export interface WireCase {
  name: string;
  path: string;
  /** What the ids of its responses begin with; the rest is the hold's. */
  idPrefix: string;
  body(ask: WireAsk): object;
  headers(secret: string): Record<string, string>;
  readWhole(json: unknown): WireTold;
  /** `events`: the data of each, in their order. */
  readStream(events: readonly string[]): WireTold;
  /** The text that one event adds. */
  textOf(event: string): string;
  /** What its clients are told of an error of ours. */
  nameOf(code: ErrorCode): string;
}

/** Every wire. A new one has a row here. */
export const WIRE_CASES: readonly WireCase[] = [chatCase, messagesCase, responsesCase];

const PROMPT = 'Tell me something about trams.';

/** The body of a request for a text. */
export const bodyOf = (wire: WireCase, ask: WireAsk): object =>
  wire.body({ prompt: PROMPT, stream: false, maxTokens: 50, tool: false, ...ask });

export interface WireRequestOptions {
  idempotencyKey?: string;
  signal?: AbortSignal;
}

/** Sends a request. Its id is the customer's own, so that what became of it can be found. */
export function askBy(
  wire: WireCase,
  { url }: Pick<GatewayHarness, 'url'>,
  secret: string,
  asked: WireAsk,
  { idempotencyKey, signal }: WireRequestOptions = {},
): Promise<Response> {
  return fetch(`${url}${wire.path}`, {
    method: 'POST',
    headers: {
      ...wire.headers(secret),
      'content-type': 'application/json',
      'x-request-id': randomUUID(),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    },
    body: JSON.stringify(bodyOf(wire, asked)),
    ...(signal && { signal }),
  });
}

/** Reads a response to its end, or to where it was cut. */
export async function readBy(wire: WireCase, response: Response): Promise<WireTold & { isCut: boolean }> {
  const { text, isCut } = await readUntilCut(response);
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  const told = isStream ? wire.readStream(eventsOf(text)) : wire.readWhole(JSON.parse(text));
  return { ...told, isCut };
}

/** The text of a response, up to where it was cut if it was. */
export async function readUntilCut({ body }: Response): Promise<{ text: string; isCut: boolean }> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const part of body ?? []) text += decoder.decode(part as Uint8Array, { stream: true });
  } catch {
    return { text, isCut: true };
  }
  return { text, isCut: false };
}

/** The data of each event. */
export function eventsOf(text: string): string[] {
  return text
    .split('\n\n')
    .flatMap((event) => event.split('\n').filter((line) => line.startsWith('data: ')))
    .map((line) => line.slice('data: '.length));
}
