import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Upstream } from '@farebox/catalog';
import { Pool, type Dispatcher } from 'undici';
import { EventReader, WholeReader, type BodyReader, type StreamSink, type WholeSink } from './body-readers';
import { CallGate, type CallWatch, type CircuitChange, type Finding } from './call-gate';
import type { CircuitLimits } from './circuit';
import { UpstreamFailure } from './failure';
import { MessagesStreamReader } from './messages-stream';
import { RunningCall, type UpstreamCall } from './running-call';
import { readWholeAnswer } from './answers';
import { readEmbeddings } from './embeddings';
import { ResponsesStreamReader } from './responses-stream';
import { KnownSpeech, type Speech } from './speech';

/** Under the base URL of an upstream. */
type Endpoint = 'chat/completions' | 'responses' | 'messages' | 'embeddings';

const ENDPOINTS = {
  chat: 'chat/completions',
  responses: 'responses',
  messages: 'messages',
} as const satisfies Record<Upstream['wire'], Endpoint>;

/** What is asked. */
export interface UpstreamAsk {
  /** The model that `body` names. */
  upstreamModel: string;
  /** Who asks: nobody gets more than their share, and failures count by whose they are. */
  accountId: string;
  /** What `body` is of. */
  wire: Upstream['wire'];
  body: string | Buffer;
}

/** A model's server, as a request to it needs it. A call that it does not take fails at once, and is not sent. */
export interface UpstreamClient {
  readonly upstream: Upstream;
  /** How a model is spoken to. */
  speechOf(upstreamModel: string): Speech;
  /** A request that was refused otherwise has been answered like this: so are the next ones sent. */
  learnSpeech(upstreamModel: string, speech: Speech): void;
  /**
   * Sends a request whose response comes in one piece, as the server writes it. It is none if it is longer than `maxBytes`.
   */
  complete(ask: UpstreamAsk, sink: WholeSink, maxBytes?: number): UpstreamCall;
  /** `complete` of a request for embeddings. */
  embed(ask: UpstreamAsk, sink: WholeSink, maxBytes: number): UpstreamCall;
  /** Sends a request whose response comes as an event stream: that of a chat, whatever the server speaks. */
  stream(ask: UpstreamAsk, sink: StreamSink): UpstreamCall;
  /** Whether the model has failed so seldom that a request may be sent to it once more. */
  mayRepeat(upstreamModel: string): boolean;
  /** Looks at the model from now on; asked later, whether anybody was answered since. It may take seconds to know. */
  watchHealth(upstreamModel: string): () => Promise<boolean>;
  /** Waits for the calls that run, and ends the probes. */
  close(): Promise<void>;
}

interface UpstreamClientOptions {
  upstream: Upstream;
  secret: string | undefined;
  onCircuitChange: (upstreamModel: string, change: CircuitChange) => void;
  limits?: UpstreamClientLimits;
}

interface UpstreamClientLimits {
  /** Of a response in one piece. */
  maxAnswerBytes: number;
  /** Calls at once. Each has a connection of its own, so that none waits for another one's end. */
  maxConcurrent: number;
  circuit: CircuitLimits;
}

export const DEFAULT_UPSTREAM_LIMITS: UpstreamClientLimits = {
  maxAnswerBytes: 32 * 1024 * 1024,
  maxConcurrent: 4_096,
  circuit: { failures: 5, witnesses: 3, windowMs: 300_000, firstPauseMs: 1_000, longestPauseMs: 60_000 },
};

/** Of calls of our own, beside those of customers. */
const PROBE_CONNECTIONS = 16;
const KEEP_ALIVE_MS = 30_000;
/** For connections to close by themselves after the last call. */
const CLOSE_MS = 1_500;
const USER_AGENT = 'farebox';
/** Source: Anthropic API reference, versions. */
const MESSAGES_VERSION = '2023-06-01';

/** A client of one upstream. Redirects are not followed, and no header of a customer's request is sent on. */
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
    connect: { timeout: upstream.connectTimeoutMs },
    keepAliveTimeout: KEEP_ALIVE_MS,
    // The calls below keep their own time.
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

  /** Models that were asked for embeddings: a probe asks them for those. */
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
    // Not at once: the sink must not hear of a failure before the caller has the call.
    queueMicrotask(() => {
      if (!call.hasEnded) pool.dispatch(toRequest(pathOf(endpoint), headersOf[wire], body), call.handler);
    });
    return call;
  }

  /** Not within `dispatch`: what is made here lives as long as the call, and would keep the body with it. */
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

  /** The smallest request that every server of the model answers, with nothing of a customer's in it. */
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

/** As Azure has it. */
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

/** A longer body is let go once it is written. For a shorter one that is not worth the time it takes. */
const KEPT_BODY_LENGTH = 4_096;

/**
 * undici keeps the body of a request until the response has ended, which of a stream may be minutes later: a long one
 * is given to it as a sequence of one piece, which is empty afterwards.
 */
function toRequest(
  path: string,
  headers: readonly string[],
  body: string | Buffer,
): Dispatcher.DispatchOptions {
  if (body.length <= KEPT_BODY_LENGTH) return { path, method: 'POST', headers: headers as string[], body };
  const withLength = [...headers, 'content-length', String(Buffer.byteLength(body))];
  // undici takes what can be iterated over, too, and its types do not say so.
  return { path, method: 'POST', headers: withLength, body: new SingleUseBody(body) as unknown as Readable };
}

/** A body that is given out once, and is nobody's afterwards. */
class SingleUseBody implements Iterable<string | Buffer> {
  #body: string | Buffer | undefined;

  constructor(body: string | Buffer) {
    this.#body = body;
  }

  *[Symbol.iterator](): Generator<string | Buffer> {
    const body = this.#body;
    this.#body = undefined;
    if (body !== undefined) yield body;
  }
}

interface Probe {
  endpoint: Endpoint;
  body: string;
  /** Throws if it is no response. */
  read: (bytes: Buffer) => void;
}

/** Below this OpenAI's Responses refuse a limit. */
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

/** A call that was not sent. Its sink hears of it later, as of any other failure. */
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
