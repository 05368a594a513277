import type { Upstream } from '@farebox/catalog';
import { Pool } from 'undici';
import { EventReader, WholeReader, type BodyReader, type StreamSink, type WholeSink } from './body-readers';
import { CallGate, type CircuitChange } from './call-gate';
import type { CircuitLimits } from './circuit';
import { UpstreamFailure } from './failure';
import { RunningCall, type UpstreamCall } from './running-call';

/** A model's server, as a request to it needs it. A call that it does not take fails at once, and is not sent. */
export interface UpstreamClient {
  readonly upstream: Upstream;
  /**
   * Sends a request whose answer comes in one piece, and is no answer if it is longer than `maxBytes`. `upstreamModel` is
   * the model that `body` names.
   */
  complete(upstreamModel: string, body: string, sink: WholeSink, maxBytes?: number): UpstreamCall;
  /** Sends a request whose answer comes as an event stream. */
  stream(upstreamModel: string, body: string, sink: StreamSink): UpstreamCall;
  /** Waits for the calls that run. */
  close(): Promise<void>;
}

export interface UpstreamClientOptions {
  upstream: Upstream;
  secret: string | undefined;
  onCircuitChange: (upstreamModel: string, change: CircuitChange) => void;
  limits?: UpstreamClientLimits;
}

export interface UpstreamClientLimits {
  /** Of an answer in one piece. */
  maxAnswerBytes: number;
  /** Calls at once. Each has a connection of its own, so that none waits for another one's end. */
  maxConcurrent: number;
  circuit: CircuitLimits;
}

export const DEFAULT_UPSTREAM_LIMITS: UpstreamClientLimits = {
  maxAnswerBytes: 32 * 1024 * 1024,
  maxConcurrent: 4_096,
  circuit: { failures: 5, windowMs: 300_000, firstPauseMs: 1_000, longestPauseMs: 60_000 },
};

const KEEP_ALIVE_MS = 30_000;
const USER_AGENT = 'farebox';

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
    connections: maxConcurrent,
    pipelining: 1,
    connect: { timeout: upstream.connectTimeoutMs },
    keepAliveTimeout: KEEP_ALIVE_MS,
    // The calls below keep their own time, to the millisecond.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const gate = new CallGate({ maxConcurrent, circuit, now: () => performance.now(), onCircuitChange });
  const path = `${url.pathname.replace(/\/$/, '')}/chat/completions`;
  const headers = ['content-type', 'application/json', 'accept', 'application/json, text/event-stream'];
  headers.push('user-agent', USER_AGENT);
  if (secret !== undefined) headers.push('authorization', `Bearer ${secret}`);

  function send(upstreamModel: string, body: string, reader: BodyReader): UpstreamCall {
    const entered = gate.enter(upstreamModel);
    if (entered instanceof UpstreamFailure) return failedCall(reader, entered);
    const call = new RunningCall(upstream, reader, entered);
    // Not at once: the sink must not hear of a failure before the caller has the call.
    queueMicrotask(() => {
      if (!call.hasEnded) pool.dispatch({ path, method: 'POST', headers, body }, call.handler);
    });
    return call;
  }

  return {
    upstream,
    complete: (upstreamModel, body, sink, maxBytes = Infinity) =>
      send(upstreamModel, body, new WholeReader(sink, Math.min(maxBytes, maxAnswerBytes))),
    stream: (upstreamModel, body, sink) => send(upstreamModel, body, new EventReader(sink)),
    close: () => pool.close(),
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
