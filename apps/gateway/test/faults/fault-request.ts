import { randomUUID } from 'node:crypto';
import type { GatewayHarness } from '../gateway-harness';
import { bodyOf } from '../wires';
import type { WireCase } from '../wires/wire-case';
import { chatCase } from '../wires/chat-case';

/** A text that no log line may contain. */
export const PROMPT = 'Tell me a very private thing about zebras.';

export interface Asked {
  model: string;
  /** The client's wire. Default: chat. */
  wire?: WireCase;
  stream?: boolean;
  /** Default 8. */
  maxTokens?: number;
  /** Further fields of the body. */
  more?: object;
  /** The gateway's address. Default: without the proxy. */
  url?: string;
  signal?: AbortSignal;
  /** Default: a new customer. */
  customer?: Customer;
}

export interface Customer {
  secret: string;
  accountId: string;
}

/** A running request. The customer chooses its id, so that its effects can be found. */
export interface SentRequest extends Customer {
  id: string;
}

export interface FaultRequest extends SentRequest {
  response: Promise<Response>;
}

export async function ask(harness: GatewayHarness, asked: Asked): Promise<FaultRequest> {
  const { secret, accountId } = asked.customer ?? (await harness.givenKey());
  const id = randomUUID();
  const wire = asked.wire ?? chatCase;
  const response = fetch(`${asked.url ?? harness.url}${wire.path}`, {
    method: 'POST',
    headers: { ...requestHeaders(secret, id), ...wire.headers(secret) },
    body: requestBody(asked),
    ...(asked.signal && { signal: asked.signal }),
  });
  // The caller that awaits the answer handles its failure.
  response.catch(() => undefined);
  return { id, secret, accountId, response };
}

export const requestHeaders = (secret: string, id: string): Record<string, string> => ({
  authorization: `Bearer ${secret}`,
  'content-type': 'application/json',
  'x-request-id': id,
});

export function requestBody({ model, wire = chatCase, stream = false, maxTokens = 8, more }: Asked): string {
  return JSON.stringify({ ...bodyOf(wire, { model, prompt: PROMPT, stream, maxTokens }), ...more });
}
