import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Upstream } from '@farebox/catalog';
import { byteLengthOf } from '@farebox/http';
import { Pool } from 'undici';
import { EventReader, WholeReader, type BodyReader, type StreamSink, type WholeSink } from './body-readers';
import { CallGate, type CallWatch, type CircuitChange, type Finding } from './call-gate';
import { Connection, type ConnectedOptions } from './connection';
import type { CircuitLimits } from './circuit';
import { UpstreamFailure } from './failure';
import { MessagesStreamReader } from './messages-stream';
import { RunningCall, type UpstreamCall } from './running-call';
import { readWholeAnswer } from './answers';
import { readEmbeddings } from './embeddings';
import { ResponsesStreamReader } from './responses-stream';
import { KnownSpeech, type Speech } from './speech';
import type { WrittenBody } from './upstream-body';

/** Path under the base URL of an upstream. */
type Endpoint = 'chat/completions' | 'responses' | 'messages' | 'embeddings';

const ENDPOINTS = {
  chat: 'chat/completions',
  responses: 'responses',
  messages: 'messages',
} as const satisfies Record<Upstream['wire'], Endpoint>;

/** One request to an upstream. */
export interface UpstreamAsk {
  /** The model that `body` names. */
  upstreamModel: string;
  /** The asking account: each gets only its share, and failures count by account. */
  accountId: string;
  /** The wire of `body`. */
  wire: Upstream['wire'];
  body: WrittenBody;
}

/** A model's server, as seen by a request. A call that it does not accept fails at once and is not sent. */
export interface UpstreamClient {
  readonly upstream: Upstream;
  /** The settings for a model. */
  speechOf(upstreamModel: string): Speech;
  /** Remembers settings with which a refused request was answered, for the next ones. */
  learnSpeech(upstreamModel: string, speech: Speech): void;
  /**
   * Sends a request for a non-streamed response, in the server's own format. A response longer than
   * `maxBytes` is rejected.
   */
  complete(ask: UpstreamAsk, sink: WholeSink, maxBytes?: number): UpstreamCall;
  /** `complete` for a request for embeddings. */
  embed(ask: UpstreamAsk, sink: WholeSink, maxBytes: number): UpstreamCall;
  /** Sends a request for a stream. The events are those of chat, whatever the server's wire. */
  stream(ask: UpstreamAsk, sink: StreamSink): UpstreamCall;
  /** Whether the model fails so rarely that a request may be sent to it again. */
  mayRepeat(upstreamModel: string): boolean;
  /**
   * Watches the model from now on. The returned function says whether anybody has been answered since; it may
   * take seconds.
   */
  watchHealth(upstreamModel: string): () => Promise<boolean>;
  /** Waits for the running calls, and stops the probes. */
  close(): Promise<void>;
}

interface UpstreamClientOptions {
  upstream: Upstream;
  /** Without the secret that an upstream takes, it is never asked: every call fails as `misconfigured`. */
  secret: string | undefined;
  onCircuitChange: (upstreamModel: string, change: CircuitChange) => void;
  limits?: UpstreamClientLimits;
}

interface UpstreamClientLimits {
  /** Limit of a non-streamed response. */
  maxAnswerBytes: number;
  /** Concurrent calls. Each has its own connection, so that none waits for another to end. */
  maxConcurrent: number;
  circuit: CircuitLimits;
}

export const DEFAULT_UPSTREAM_LIMITS: UpstreamClientLimits = {
  maxAnswerBytes: 32 * 1024 * 1024,
  maxConcurrent: 4_096,
  circuit: { failures: 5, witnesses: 3, windowMs: 300_000, firstPauseMs: 1_000, longestPauseMs: 60_000 },
};

/** Connections for our own calls, beside those of customers. */
const PROBE_CONNECTIONS = 16;
const KEEP_ALIVE_MS = 30_000;
/** Time for connections to close by themselves after the last call. */
const CLOSE_MS = 1_500;
const USER_AGENT = 'farebox';
/** Source: Anthropic API reference, versions. */
const MESSAGES_VERSION = '2023-06-01';

/** A client of one upstream. It follows no redirects and passes on no header of a customer's request. */
export function createUpstreamClient({
  upstream,
  secret,
  onCircuitChange,
  limits = DEFAULT_UPSTREAM_LIMITS,
}: UpstreamClientOptions): UpstreamClient {
  const { maxAnswerBytes, maxConcurrent, circuit } = limits;
  const url = new URL(upstream.baseUrl);
  const pool = new Pool(url.origin, {
    connections: maxConcurrent + PROBE_CONNECTIONS,
    pipelining: 1,
    factory: (origin, options) => new Connection(origin, options),
    connect: { timeout: upstream.connectTimeoutMs },
    keepAliveTimeout: KEEP_ALIVE_MS,
    // The calls below have their own time-outs.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const known = new KnownSpeech(upstream);
  const speechOf = (upstreamModel: string): Speech => known.of(upstreamModel, performance.now());
  const pathOf = (endpoint: Endpoint): string =>
    `${url.pathname.replace(/\/$/, '')}/${endpoint}${queryOf(upstream)}`;
  const headersOf = {
    chat: headersFor(upstream, 'chat', secret),
    responses: headersFor(upstream, 'responses', secret),
    messages: headersFor(upstream, 'messages', secret),
  };

  /** Models asked for embeddings: probes ask them for embeddings too. */
  const embedders = new Set<string>();
  const probes = new Set<() => void>();
  let running = 0;
  let onEnded: () => void = () => undefined;
  const gate = new CallGate({ maxConcurrent, circuit, now: () => performance.now(), onCircuitChange, probe });

  function send(
    { upstreamModel, accountId, wire, body }: UpstreamAsk,
    reader: BodyReader,
    endpoint: Endpoint = ENDPOINTS[wire],
  ): UpstreamCall {
    if (upstream.apiKeyEnv !== undefined && secret === undefined)
      return failedCall(reader, new UpstreamFailure('misconfigured'));
    if (endpoint === 'embeddings') embedders.add(upstreamModel);
    const entered = gate.enter(upstreamModel, accountId);
    if (entered instanceof UpstreamFailure) return failedCall(reader, entered);
    return dispatch({ endpoint, wire, body }, reader, entered);
  }

  function dispatch(
    { endpoint, wire, body }: Pick<UpstreamAsk, 'wire' | 'body'> & { endpoint: Endpoint },
    reader: BodyReader,
    watch: CallWatch,
  ): UpstreamCall {
    const call = run(reader, watch);
    // Deferred: the caller must have the call before the sink gets a failure.
    queueMicrotask(() => {
      if (!call.hasEnded)
        pool.dispatch(toRequest(call, pathOf(endpoint), headersOf[wire], body), call.handler);
    });
    return call;
  }

  /**
   * Kept out of `dispatch`: closures created there live as long as the call and would keep its body in
   * memory.
   */
  function run(reader: BodyReader, watch: CallWatch): RunningCall {
    const call = new RunningCall(upstream, reader, {
      ended(finding) {
        running--;
        watch.ended(finding);
        onEnded();
      },
    });
    running++;
    return call;
  }

  /** The smallest request that every server of the model answers, without any customer data. */
  function probe(upstreamModel: string): Promise<Finding> {
    const speech = speechOf(upstreamModel);
    const { endpoint, body, read } = embedders.has(upstreamModel)
      ? probeOfEmbeddings(upstreamModel)
      : probeOfChat(upstreamModel, speech);
    return new Promise((resolve) => {
      const leave = (): void => {
        call.abort();
      };
      const sink = {
        onAnswer: read,
        onFailure: () => undefined,
      };
      const call = dispatch({ endpoint, wire: speech.wire, body }, new WholeReader(sink, maxAnswerBytes), {
        ended(finding) {
          probes.delete(leave);
          resolve(finding);
        },
      });
      probes.add(leave);
    });
  }

  function allEnded(): Promise<void> {
    return new Promise((resolve) => {
      onEnded = () => {
        if (running === 0) resolve();
      };
      onEnded();
    });
  }

  return {
    upstream,
    speechOf,
    learnSpeech: (upstreamModel, speech) => {
      known.learn(upstreamModel, speech, performance.now());
    },
    complete: (ask, sink, maxBytes = Infinity) =>
      send(ask, new WholeReader(sink, Math.min(maxBytes, maxAnswerBytes))),
    embed: (ask, sink, maxBytes) => send(ask, new WholeReader(sink, maxBytes), 'embeddings'),
    stream: (ask, sink) => send(ask, new EventReader(asChat(sink, ask.wire))),
    mayRepeat: (upstreamModel) => gate.mayRepeat(upstreamModel),
    watchHealth: (upstreamModel) => gate.watchHealth(upstreamModel),
    async close() {
      gate.close();
      for (const leave of probes) leave();
      await Promise.race([pool.close(), allEnded().then(() => sleep(CLOSE_MS, undefined, { ref: false }))]);
      // After some broken responses the pool waits for calls that have long ended.
      await pool.destroy();
    },
  };
}

/** Azure's form. */
function queryOf({ dialect: { apiVersion } }: Upstream): string {
  return apiVersion === undefined ? '' : `?api-version=${encodeURIComponent(apiVersion)}`;
}

function headersFor({ dialect }: Upstream, wire: Upstream['wire'], secret: string | undefined): string[] {
  const headers = ['content-type', 'application/json', 'accept', 'application/json, text/event-stream'];
  headers.push('user-agent', USER_AGENT);
  if (wire === 'messages') headers.push('anthropic-version', MESSAGES_VERSION);
  if (secret === undefined) return headers;
  if (dialect.auth === 'api-key') headers.push('api-key', secret);
  else if (wire === 'messages') headers.push('x-api-key', secret);
  else headers.push('authorization', `Bearer ${secret}`);
  return headers;
}

/** A longer body is freed once it is written. For a shorter one the extra work is not worth it. */
const KEPT_BODY_LENGTH = 4_096;

/**
 * undici keeps the body of a request until the response has ended, which can take minutes for a stream. A
 * long one is passed as a sequence of its pieces, which is empty afterwards.
 */
function toRequest(
  call: RunningCall,
  path: string,
  headers: readonly string[],
  body: WrittenBody,
): ConnectedOptions {
  if (typeof body === 'string' && body.length <= KEPT_BODY_LENGTH)
    return { call, path, method: 'POST', headers: headers as string[], body };
  const withLength = [...headers, 'content-length', String(byteLengthOf(body))];
  // undici also accepts iterables, although its types do not say so.
  const once = new SingleUseBody(body) as unknown as Readable;
  return { call, path, method: 'POST', headers: withLength, body: once };
}

/** A body that can be read once and is then freed. */
class SingleUseBody implements Iterable<string | Buffer> {
  #body: WrittenBody;

  constructor(body: WrittenBody) {
    this.#body = body;
  }

  *[Symbol.iterator](): Generator<string | Buffer> {
    const body = this.#body;
    this.#body = [];
    if (typeof body === 'string') yield body;
    else yield* body;
  }
}

interface Probe {
  endpoint: Endpoint;
  body: string;
  /** Throws if it is not a valid response. */
  read: (bytes: Buffer) => void;
}

/** OpenAI's Responses refuse a lower limit. */
const LEAST_LIMIT_OF_RESPONSES = 16;

function probeOfChat(model: string, { maxTokensField, wire }: Speech): Probe {
  const messages = [{ role: 'user', content: 'Hi' }];
  const bodies = {
    chat: { model, messages, [maxTokensField]: 1 },
    responses: { model, input: messages, max_output_tokens: LEAST_LIMIT_OF_RESPONSES, store: false },
    messages: { model, messages, max_tokens: 1 },
  };
  return {
    endpoint: ENDPOINTS[wire],
    body: JSON.stringify(bodies[wire]),
    read: (bytes) => void readWholeAnswer(bytes, { wire }),
  };
}

function probeOfEmbeddings(model: string): Probe {
  const asked = { inputs: 1, format: 'float' } as const;
  return {
    endpoint: 'embeddings',
    body: JSON.stringify({ model, input: 'Hi' }),
    read: (bytes) => void readEmbeddings(bytes, asked),
  };
}

function asChat(sink: StreamSink, wire: Upstream['wire']): StreamSink {
  if (wire === 'chat') return sink;
  const reader = wire === 'messages' ? new MessagesStreamReader() : new ResponsesStreamReader();
  return {
    onData: (data) => {
      for (const event of reader.read(data)) sink.onData(event);
    },
    onEnd: () => {
      sink.onEnd();
    },
    onFailure: (failure) => {
      sink.onFailure(failure);
    },
  };
}

/** A call that was not sent. Its sink gets the failure later, as any other. */
function failedCall(reader: BodyReader, failure: UpstreamFailure): UpstreamCall {
  let isAborted = false;
  queueMicrotask(() => {
    if (!isAborted) reader.onFailure(failure);
  });
  return {
    abort() {
      isAborted = true;
    },
    settle: () => undefined,
    pause: () => undefined,
    resume: () => undefined,
  };
}
