import type { Upstream } from '@farebox/catalog';
import { Pool, type Dispatcher } from 'undici';
import { failureOfStatus, UpstreamFailure } from './failure';
import { SseParser } from './sse-parser';

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

/** Exactly one of the two is called, once. */
export interface WholeSink {
  onAnswer(body: Buffer): void;
  onFailure(failure: UpstreamFailure): void;
}

/** `onData` for each event, then exactly one of the other two, once. */
export interface StreamSink {
  onData(data: string): void;
  onEnd(): void;
  onFailure(failure: UpstreamFailure): void;
}

export interface UpstreamCall {
  /** Ends the call at once. Nothing of the sink is called after it. */
  abort(): void;
  pause(): void;
  resume(): void;
}

/** A longer answer in one piece is not one. */
const DEFAULT_MAX_ANSWER_BYTES = 32 * 1024 * 1024;
const MAX_ERROR_BYTES = 64 * 1024;
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

/** What becomes of the body of a 200 answer. */
interface BodyReader {
  readonly contentType: RegExp;
  onFailure(failure: UpstreamFailure): void;
  /** Throws where it is not an answer. */
  onChunk(chunk: Buffer): void;
  onEnd(): void;
}

class WholeReader implements BodyReader {
  readonly contentType = /^application\/json\b/i;
  readonly #sink: WholeSink;
  readonly #maxBytes: number;
  readonly #chunks: Buffer[] = [];
  #length = 0;

  constructor(sink: WholeSink, maxBytes: number) {
    this.#sink = sink;
    this.#maxBytes = maxBytes;
  }

  onChunk(chunk: Buffer): void {
    this.#length += chunk.length;
    if (this.#length > this.#maxBytes) throw new RangeError('the answer is too large');
    this.#chunks.push(chunk);
  }

  onEnd(): void {
    const [only] = this.#chunks;
    this.#sink.onAnswer(only && this.#chunks.length === 1 ? only : Buffer.concat(this.#chunks, this.#length));
  }

  onFailure(failure: UpstreamFailure): void {
    this.#sink.onFailure(failure);
  }
}

class EventReader implements BodyReader {
  readonly contentType = /^text\/event-stream\b/i;
  readonly #sink: StreamSink;
  readonly #parser: SseParser;

  constructor(sink: StreamSink) {
    this.#sink = sink;
    this.#parser = new SseParser((data) => {
      sink.onData(data);
    });
  }

  onChunk(chunk: Buffer): void {
    this.#parser.push(chunk);
  }

  onEnd(): void {
    this.#sink.onEnd();
  }

  onFailure(failure: UpstreamFailure): void {
    this.#sink.onFailure(failure);
  }
}

/** One request: its time-outs, its end (once), and which reader its body goes to. */
class RunningCall implements UpstreamCall {
  readonly #upstream: Upstream;
  readonly #reader: BodyReader;
  readonly #total: NodeJS.Timeout;
  #silence: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #errorBody = '';
  #receiving = false;
  #ended = false;
  readonly #timeOut = (): void => {
    this.#fail(new UpstreamFailure('timeout'));
  };

  constructor(upstream: Upstream, reader: BodyReader) {
    this.#upstream = upstream;
    this.#reader = reader;
    this.#total = setTimeout(this.#timeOut, upstream.totalTimeoutMs);
    this.#silence = setTimeout(this.#timeOut, upstream.connectTimeoutMs + upstream.firstByteTimeoutMs);
  }

  abort(): void {
    if (this.#end()) this.#controller?.abort(new Error('the call was aborted'));
  }

  pause(): void {
    this.#controller?.pause();
    // The silence of a paused call is our own.
    clearTimeout(this.#silence);
  }

  resume(): void {
    if (this.#ended) return;
    this.#controller?.resume();
    this.#expectMore();
  }

  readonly handler: Dispatcher.DispatchHandler = {
    onRequestStart: (controller) => {
      this.#controller = controller;
      if (this.#ended) controller.abort(new Error('the call was aborted'));
    },
    onResponseStart: (_controller, status, headers) => {
      if (status < 200) return;
      this.#status = status;
      const contentType = String(headers['content-type'] ?? '');
      if (status === 200 && !this.#reader.contentType.test(contentType)) {
        this.#fail(
          new UpstreamFailure('garbage', { status, cause: new Error(`content type ${contentType}`) }),
        );
      }
    },
    onResponseData: (_controller, chunk) => {
      if (this.#ended) return;
      this.#heard();
      if (this.#status !== 200) {
        if (this.#errorBody.length < MAX_ERROR_BYTES) this.#errorBody += chunk.toString('utf8');
        else this.#fail(failureOfStatus(this.#status, ''));
        return;
      }
      try {
        this.#reader.onChunk(chunk);
      } catch (cause) {
        this.#fail(new UpstreamFailure('garbage', { status: 200, cause }));
      }
    },
    onResponseEnd: () => {
      if (!this.#end()) return;
      if (this.#status === 200) this.#reader.onEnd();
      else this.#reader.onFailure(failureOfStatus(this.#status, this.#errorBody));
    },
    onResponseError: (_controller, cause) => {
      if (this.#end()) this.#reader.onFailure(new UpstreamFailure('unavailable', { cause }));
    },
  };

  #heard(): void {
    if (this.#receiving) this.#silence.refresh();
    else this.#expectMore();
    this.#receiving = true;
  }

  /** A timer that was cleared is not started again by `refresh`. */
  #expectMore(): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(this.#timeOut, this.#upstream.idleTimeoutMs);
  }

  #fail(failure: UpstreamFailure): void {
    if (!this.#end()) return;
    this.#controller?.abort(failure);
    this.#reader.onFailure(failure);
  }

  /** Answers whether this was the end, and not only another one. */
  #end(): boolean {
    if (this.#ended) return false;
    this.#ended = true;
    clearTimeout(this.#total);
    clearTimeout(this.#silence);
    return true;
  }
}
