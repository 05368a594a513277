import { randomUUID } from 'node:crypto';
import type { GatewayHarness } from './gateway-harness';
import { chatCase } from './wires/chat-case';
import { messagesCase } from './wires/messages-case';
import { responsesCase } from './wires/responses-case';
import type { WireCase, WireAsk, WireResult } from './wires/wire-case';

/** Every wire. Add a row for a new one. */
export const WIRE_CASES: readonly WireCase[] = [chatCase, messagesCase, responsesCase];

const PROMPT = 'Tell me something about trams.';

/** The body of a request for a text. */
export const bodyOf = (wire: WireCase, ask: WireAsk): object =>
  wire.body({ prompt: PROMPT, stream: false, maxTokens: 50, tool: false, ...ask });

export interface WireRequestOptions {
  idempotencyKey?: string;
  signal?: AbortSignal;
}

/** Sends a request. The customer chooses its id, so that its effects can be found. */
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

/** Reads a response until it ends or is cut off. */
export async function readBy(wire: WireCase, response: Response): Promise<WireResult & { isCut: boolean }> {
  const { text, isCut } = await readUntilCut(response);
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  const result = isStream ? wire.readStream(eventsOf(text)) : wire.readWhole(JSON.parse(text));
  return { ...result, isCut };
}

/** The text of a response, up to a possible cut. */
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
