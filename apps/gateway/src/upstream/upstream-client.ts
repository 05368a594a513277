import type { Upstream } from '@farebox/catalog';
import { Pool } from 'undici';
import { EventReader, WholeReader, type StreamSink, type WholeSink } from './body-readers';
import { RunningCall, type UpstreamCall } from './running-call';

/** A model's server, as a request to it needs it. */
export interface UpstreamClient {
  readonly upstream: Upstream;
  /** Sends a request whose answer comes in one piece. */
  complete(body: string, sink: WholeSink): UpstreamCall;
  /** Sends a request whose answer comes as an event stream. */
  stream(body: string, sink: StreamSink): UpstreamCall;
  /** Waits for the calls that run. */
  close(): Promise<void>;
}

/** A longer answer in one piece is not one. */
const DEFAULT_MAX_ANSWER_BYTES = 32 * 1024 * 1024;
const CONNECTIONS = 1_024;
const KEEP_ALIVE_MS = 30_000;

/** A client of one upstream. Redirects are not followed, and no header of a customer's request is sent on. */
export function createUpstreamClient(
  upstream: Upstream,
  secret: string | undefined,
  maxAnswerBytes = DEFAULT_MAX_ANSWER_BYTES,
): UpstreamClient {
  const url = new URL(upstream.baseUrl);
  const pool = new Pool(url.origin, {
    connections: CONNECTIONS,
    pipelining: 1,
    connect: { timeout: upstream.connectTimeoutMs },
    keepAliveTimeout: KEEP_ALIVE_MS,
    // The calls below keep their own time, to the millisecond.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const path = `${url.pathname.replace(/\/$/, '')}/chat/completions`;
  const headers = ['content-type', 'application/json', 'accept', 'application/json, text/event-stream'];
  if (secret !== undefined) headers.push('authorization', `Bearer ${secret}`);

  function send(body: string, call: RunningCall): UpstreamCall {
    pool.dispatch({ path, method: 'POST', headers, body }, call.handler);
    return call;
  }

  return {
    upstream,
    complete: (body, sink) => send(body, new RunningCall(upstream, new WholeReader(sink, maxAnswerBytes))),
    stream: (body, sink) => send(body, new RunningCall(upstream, new EventReader(sink))),
    close: () => pool.close(),
  };
}
