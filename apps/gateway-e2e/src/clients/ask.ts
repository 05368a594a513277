import type { IncomingHttpHeaders } from 'node:http';
import { Agent, request as send } from 'undici';
import type { Told } from './attempt';
import { toBody, type ChatRequest } from './chat-request';
import { readAnswer, StreamSoFar, type HttpAnswer } from './read-answer';

/** Longer than any pause of a gateway and any wait within one. */
const LONGEST_SILENCE_MS = 45_000;

export interface Asking {
  gatewayUrl: string;
  apiKey: string;
  requestId: string;
  request: ChatRequest;
  /** Whether the client keeps to what was planned and leaves. */
  mayHangUp: boolean;
  /** Told of the answer's headers when they come. */
  onHeaders?: ((headers: IncomingHttpHeaders) => void) | undefined;
}

export function createAgent(): Agent {
  return new Agent({
    connections: 128,
    headersTimeout: LONGEST_SILENCE_MS,
    bodyTimeout: LONGEST_SILENCE_MS,
    connectTimeout: LONGEST_SILENCE_MS,
  });
}

/** Sends a request once and tells what its client learns. Does not throw for anything that a client can meet. */
export async function ask(agent: Agent, asking: Asking): Promise<Told> {
  const hangUp = asking.mayHangUp ? asking.request.hangUp : undefined;
  const leaving = new AbortController();
  const timer =
    typeof hangUp === 'object'
      ? setTimeout(() => {
          leaving.abort();
        }, hangUp.afterMs)
      : undefined;
  const stream = new StreamSoFar();
  try {
    const answer = await post(agent, asking, leaving.signal);
    return await readAnswer(answer, stream, () => {
      if (hangUp === 'at_first_text') leaving.abort();
    });
  } catch (error) {
    if (leaving.signal.aborted) return { kind: 'hung_up', text: stream.text };
    return stream.hasEnded ? stream.toTold() : toldOfLoss(error, stream.text);
  } finally {
    clearTimeout(timer);
  }
}

async function post(
  agent: Agent,
  { gatewayUrl, apiKey, requestId, request, onHeaders }: Asking,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const { statusCode, headers, body } = await send(`${gatewayUrl}/v1/chat/completions`, {
    dispatcher: agent,
    method: 'POST',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      'x-request-id': requestId,
      ...(request.idempotencyKey === undefined ? {} : { 'idempotency-key': request.idempotencyKey }),
    },
    body: toBody(request),
    signal,
  });
  onHeaders?.(headers);
  return {
    status: statusCode,
    contentType: String(headers['content-type']),
    replayed: headers['idempotent-replayed'] === 'true',
    body,
  };
}

function toldOfLoss(error: unknown, text: string): Told {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'ECONNREFUSED':
      return { kind: 'not_connected' };
    case 'UND_ERR_HEADERS_TIMEOUT':
    case 'UND_ERR_BODY_TIMEOUT':
    case 'UND_ERR_CONNECT_TIMEOUT':
      return { kind: 'silent' };
    case 'ECONNRESET':
    case 'EPIPE':
    case 'UND_ERR_SOCKET':
      return { kind: 'cut', text };
    default:
      throw error;
  }
}
