import type { IncomingHttpHeaders } from 'node:http';
import { Agent, request as send } from 'undici';

/** Models of the harnesses' catalogue, by behaviour. */
export const MODELS = {
  'at-once': 'sim-small',
  'pause-50': 'sim-slow-50',
  'pause-150': 'sim-slow-150',
  'pause-300': 'sim-slow-300',
  'pause-1000': 'sim-slow-1000',
  'pause-3000': 'sim-slow-3000',
  'pause-5000': 'sim-slow-5000',
  'pause-7000': 'sim-slow-7000',
  'pause-10000': 'sim-slow-10000',
  'pause-12000': 'sim-slow-12000',
  'pause-16000': 'sim-slow-16000',
  'pause-24000': 'sim-slow-24000',
  /** A stream at the pace of its harness. */
  paced: 'sim-paced',
  'paced-long': 'sim-paced-long',
  /** Reports ten times the tokens: more than is held. */
  tenfold: 'sim-wrong-usage',
  /** Breaks off after five tokens. */
  breaks: 'sim-breaks',
} as const;

export type ModelId = keyof typeof MODELS;

/** A client's request for a completion. */
export interface ChatRequest {
  /** Part of the prompt, so that the upstream's calls can be distinguished. */
  name: string;
  model: ModelId;
  streamed: boolean;
  wantsUsage: boolean;
  /** Default: 20. */
  maxTokens?: number;
  idempotencyKey: string | undefined;
  /**
   * The client hangs up the first time: after this long (counted from `since`, if given), or at the first
   * text of a stream.
   */
  hangUp: { afterMs: number; since?: Promise<void> } | 'at_first_text' | undefined;
}

const DEFAULT_MAX_TOKENS = 20;

/** Whether its upstream always answers: then a refusal is not the upstream's. */
export function hasSoundUpstream({ model }: ChatRequest): boolean {
  return model !== 'breaks';
}

/** The same bytes for each send. */
export function toBody({ name, model, streamed, wantsUsage, maxTokens }: ChatRequest): string {
  return JSON.stringify({
    model,
    messages: [{ role: 'user', content: `${name}${NAME_END} tell me something.` }],
    max_tokens: maxTokens ?? DEFAULT_MAX_TOKENS,
    ...(streamed ? { stream: true, stream_options: { include_usage: wantsUsage } } : {}),
  });
}

const NAME_END = ':';

/** The name of the request with a body that the upstream received. */
export function nameInBody(body: unknown): string {
  const { messages } = body as { messages: { content: string }[] };
  return messages[0]?.content.split(NAME_END)[0] ?? '';
}

/** One send of a request, and the client's result. */
export interface Attempt {
  /** The client's own id, which is in every row that the service writes for it. */
  requestId: string;
  request: ChatRequest;
  /** The number of the gateway that received it. */
  gateway: number;
  startedAtMs: number;
  endedAtMs: number;
  result: ClientResult;
}

export type ClientResult =
  /** A complete answer: non-streamed and read to its end, or a stream up to its [DONE]. */
  | {
      kind: 'answered';
      completionId: string;
      /** In US dollars, as received; undefined if it was not requested. */
      cost: string | undefined;
      /** A non-streamed answer byte for byte; for a stream its text and finish. */
      content: string;
      replayed: boolean;
    }
  /** A stream that ended with an error event. */
  | { kind: 'failed_midway'; code: string; text: string; replayed: boolean }
  /** An error and nothing else. */
  | { kind: 'refused'; status: number; code: string }
  /** The client left, with this part of the text. */
  | { kind: 'hung_up'; text: string }
  /** The connection was lost before the answer was complete. */
  | { kind: 'cut'; text: string }
  /** No server was listening: nothing was sent. */
  | { kind: 'not_connected' }
  /** No answer for longer than any answer may take. */
  | { kind: 'silent' };

/** Whether the service says that the outcome of a charge is unknown. */
export function isBillingError(result: ClientResult): boolean {
  return (result.kind === 'refused' || result.kind === 'failed_midway') && result.code === 'billing_error';
}

export function isReplay(result: ClientResult): boolean {
  return (result.kind === 'answered' || result.kind === 'failed_midway') && result.replayed;
}

/** Longer than any pause of a gateway and any wait within one. */
const LONGEST_SILENCE_MS = 60_000;

export interface Asking {
  gatewayUrl: string;
  apiKey: string;
  requestId: string;
  request: ChatRequest;
  /** Whether the client leaves as planned. */
  mayHangUp: boolean;
  /** Called with the answer's headers when they arrive. */
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

/**
 * Sends a request once and returns the client's result. Does not throw for any failure that a client can
 * meet.
 */
export async function ask(agent: Agent, asking: Asking): Promise<ClientResult> {
  const hangUp = asking.mayHangUp ? asking.request.hangUp : undefined;
  const leaving = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const leave = (afterMs: number): void => {
    timer = setTimeout(() => {
      leaving.abort();
    }, afterMs).unref();
  };
  if (typeof hangUp === 'object') {
    const { afterMs, since } = hangUp;
    if (since) void since.then(() => leave(afterMs));
    else leave(afterMs);
  }
  const stream = new StreamSoFar();
  try {
    const answer = await post(agent, asking, leaving.signal);
    return await readAnswer(answer, stream, () => {
      if (hangUp === 'at_first_text') leaving.abort();
    });
  } catch (error) {
    if (leaving.signal.aborted) return { kind: 'hung_up', text: stream.text };
    return stream.hasEnded ? stream.toResult() : resultOfLoss(error, stream.text);
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

function resultOfLoss(error: unknown, text: string): ClientResult {
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

/** The relevant parts of an HTTP answer. */
export interface HttpAnswer {
  status: number;
  contentType: string;
  replayed: boolean;
  body: AsyncIterable<Buffer>;
}

interface Failure {
  error: { code: string };
}
interface Completion {
  id: string;
  usage?: { cost: string } | null;
}
interface Chunk extends Completion {
  choices: { delta: { content?: string | null }; finish_reason: string | null }[];
}

/**
 * Reads an answer to its end. `onText` is called at the first text of a stream. Throws if the connection is
 * lost.
 */
export async function readAnswer(
  { status, contentType, replayed, body }: HttpAnswer,
  stream: StreamSoFar,
  onText: () => void,
): Promise<ClientResult> {
  if (contentType.startsWith('text/event-stream')) {
    stream.replayed = replayed;
    await stream.readAll(body, onText);
    return stream.toResult();
  }
  const pieces: Buffer[] = [];
  for await (const piece of body) pieces.push(piece);
  const content = Buffer.concat(pieces).toString('utf8');
  if (status !== 200) return { kind: 'refused', status, code: (JSON.parse(content) as Failure).error.code };
  const { id, usage } = JSON.parse(content) as Completion;
  return { kind: 'answered', completionId: id, cost: usage?.cost, content, replayed };
}

/** The received part of a stream, readable even if the rest never arrives. */
export class StreamSoFar {
  text = '';
  replayed = false;
  #unread = '';
  #completionId = '';
  #finish = '';
  #cost: string | undefined;
  #isDone = false;
  #errorCode: string | undefined;

  async readAll(body: AsyncIterable<Buffer>, onText: () => void): Promise<void> {
    const decoder = new TextDecoder();
    for await (const piece of body) {
      this.#unread += decoder.decode(piece, { stream: true });
      const events = this.#unread.split('\n\n');
      this.#unread = events.pop() ?? '';
      for (const event of events) if (event.startsWith('data: ')) this.#take(event.slice('data: '.length));
      if (this.text !== '') onText();
    }
  }

  /** Whether the stream is complete, however the connection ends. */
  get hasEnded(): boolean {
    return this.#isDone || this.#errorCode !== undefined;
  }

  toResult(): ClientResult {
    const { replayed } = this;
    if (this.#errorCode !== undefined)
      return { kind: 'failed_midway', code: this.#errorCode, text: this.text, replayed };
    if (!this.#isDone) return { kind: 'cut', text: this.text };
    const content = JSON.stringify([this.text, this.#finish]);
    return { kind: 'answered', completionId: this.#completionId, cost: this.#cost, content, replayed };
  }

  #take(data: string): void {
    if (data === '[DONE]') {
      this.#isDone = true;
      return;
    }
    const event = JSON.parse(data) as Chunk | Failure;
    if ('error' in event) {
      this.#errorCode = event.error.code;
      return;
    }
    this.#completionId = event.id;
    this.#cost = event.usage?.cost ?? this.#cost;
    for (const { delta, finish_reason } of event.choices) {
      this.text += delta.content ?? '';
      this.#finish += finish_reason ?? '';
    }
  }
}
