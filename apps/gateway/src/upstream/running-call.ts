import type { Upstream } from '@farebox/catalog';
import type { Dispatcher } from 'undici';
import type { BodyReader } from './body-readers';
import { verdictOf, type CallWatch, type Finding } from './call-gate';
import { isLoss, type Connection } from './connection';
import { failureOfStatus } from './failed-answers';
import { UpstreamFailure } from './failure';
import { readRetryAfterMs } from './retry-after';

export interface UpstreamCall {
  /** Ends the call at once. The sink is not called after that. */
  abort(): void;
  /** The response is complete, whatever else arrives. The connection is reused if the rest ends soon. */
  settle(): void;
  pause(): void;
  resume(): void;
}

const MAX_ERROR_BYTES = 64 * 1024;
/** Time allowed for a settled call to end. */
const SETTLED_MS = 1_000;

/** A time-out fires at most this late. */
const LOOK_EVERY_MS = 20;

/** Checks the time-outs of all calls with one timer, so that no call has to set or clear its own. */
class CallTimes {
  /** Not a `Set`, which would keep removed entries in memory: docs/benchmarks/hot-path.md. */
  readonly #calls: RunningCall[] = [];
  #timer: NodeJS.Timeout | undefined;

  add(call: RunningCall): void {
    this.#calls.push(call);
    this.#timer ??= setInterval(this.#look, LOOK_EVERY_MS);
  }

  delete(call: RunningCall): void {
    const at = this.#calls.indexOf(call);
    if (at >= 0) this.#calls.splice(at, 1);
  }

  readonly #look = (): void => {
    const nowMs = performance.now();
    for (const call of [...this.#calls]) call.look(nowMs);
    if (this.#calls.length > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  };
}

const WATCH = new CallTimes();

/** One request: its time-outs, its single end, and the reader for its body. */
export class RunningCall implements UpstreamCall {
  readonly #upstream: Upstream;
  readonly #reader: BodyReader;
  readonly #watch: CallWatch;
  /** Deadline of the whole response. */
  #totalAtMs: number;
  /** Deadline of the next step: the connection, the first byte, or the next one. */
  #silenceAtMs: number;
  /** Runs while a settled call has not ended. */
  #settled: NodeJS.Timeout | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  /** Set before the request is written. */
  connection: Connection | undefined;
  /** Whether the connection had carried another response before. */
  #isReused = false;
  #status = 0;
  /** How long the server asks to be left alone. */
  #retryAfterMs: number | undefined;
  #errorBody = '';
  /** The content type of the response, if it is not the requested one: then the first bytes decide. */
  #foreignType: string | undefined;
  /**
   * undici fails an assertion, outside of any handler, if the connection ends while a response that ends with
   * it is paused. Such a response is not paused: its output limit bounds its length.
   */
  #canPause = false;
  /** No more data comes. */
  #isOver = false;
  /** The reader has been notified of the end, or needs no more calls. */
  #ended = false;
  constructor(upstream: Upstream, reader: BodyReader, watch: CallWatch) {
    this.#upstream = upstream;
    this.#reader = reader;
    this.#watch = watch;
    const nowMs = performance.now();
    this.#totalAtMs = nowMs + upstream.totalTimeoutMs;
    // The pool has its own connect time-out, which it reports as a failure to connect.
    this.#silenceAtMs = nowMs + upstream.connectTimeoutMs + upstream.firstByteTimeoutMs;
    WATCH.add(this);
  }

  get hasEnded(): boolean {
    return this.#ended;
  }

  /** Ends the call if a deadline has passed. */
  look(nowMs: number): void {
    if (nowMs >= this.#totalAtMs || nowMs >= this.#silenceAtMs) this.#fail(new UpstreamFailure('timeout'));
  }

  abort(): void {
    if (this.#end({ verdict: 'nothing' })) this.#controller?.abort(new Error('the call was aborted'));
  }

  settle(): void {
    if (!this.#end({ verdict: 'works' }) || this.#isOver) return;
    this.#settled = setTimeout(() => {
      this.#controller?.abort(new Error('the call did not end'));
    }, SETTLED_MS);
    // If the call is paused, its end has not been read.
    this.#controller?.resume();
  }

  pause(): void {
    if (this.#ended || !this.#canPause) return;
    this.#controller?.pause();
    // While we pause the call, its silence is ours.
    this.#silenceAtMs = Infinity;
  }

  resume(): void {
    if (this.#ended || !this.#canPause) return;
    // Sets the deadline first: data that arrived during the pause, including the end, may be read before
    // `resume` returns.
    this.#expectWithin(this.#upstream.idleTimeoutMs);
    this.#controller?.resume();
  }

  readonly handler: Dispatcher.DispatchHandler = {
    onRequestStart: (controller) => {
      this.#controller = controller;
      this.#isReused = this.connection?.hasAnswered === true;
      if (this.#ended) controller.abort(new Error('the call was aborted'));
      else this.#expectWithin(this.#upstream.firstByteTimeoutMs);
    },
    onResponseStart: (controller, status, headers) => {
      if (status < 200) return;
      // undici would keep the headers until the end.
      controller.rawHeaders = null;
      if (this.connection) this.connection.hasAnswered = true;
      this.#status = status;
      this.#retryAfterMs = readRetryAfterMs(status, headers);
      this.#canPause = staysOpen(headers);
      const contentType = String(headers['content-type'] ?? '');
      if (status === 200 && !this.#reader.contentType.test(contentType)) this.#foreignType = contentType;
    },
    onResponseData: (_controller, chunk) => {
      if (this.#ended) return;
      this.#expectWithin(this.#upstream.idleTimeoutMs);
      if (this.#status === 200) this.#read(chunk);
      else if (this.#errorBody.length < MAX_ERROR_BYTES) this.#errorBody += chunk.toString('utf8');
      else this.#fail(failureOfStatus(this.#status, '', this.#retryAfterMs));
    },
    onResponseEnd: () => {
      clearTimeout(this.#settled);
      // Reading a long response takes our own time, which does not count.
      WATCH.delete(this);
      this.#isOver = true;
      if (this.#ended) return;
      if (this.#status === 200) this.#finish();
      else this.#fail(failureOfStatus(this.#status, this.#errorBody, this.#retryAfterMs));
    },
    onResponseError: (_controller, cause) => {
      clearTimeout(this.#settled);
      this.#isOver = true;
      const isUnreachable = this.#controller === undefined;
      const wasIdleBefore = this.#isReused && this.#status === 0 && isLoss(cause);
      this.#fail(new UpstreamFailure('unavailable', { cause, isUnreachable, wasIdleBefore }));
    },
  };

  #expectWithin(timeoutMs: number): void {
    this.#silenceAtMs = performance.now() + timeoutMs;
  }

  #read(chunk: Buffer): void {
    const type = this.#foreignType;
    this.#foreignType = undefined;
    if (type !== undefined && !this.#reader.looksRight(chunk)) {
      const cause = new Error(`content type ${type}`);
      this.#fail(new UpstreamFailure('garbage', { status: 200, cause }));
      return;
    }
    try {
      const room = this.#reader.onChunk(chunk);
      if (room) void this.#waitFor(room);
    } catch (cause) {
      this.#fail(toFailure(cause));
    }
  }

  async #waitFor(room: Promise<void>): Promise<void> {
    this.pause();
    await room;
    this.resume();
  }

  #finish(): void {
    const onRead = (): void => {
      this.#end({ verdict: 'works' });
    };
    const onUnreadable = (cause: unknown): void => {
      this.#fail(toFailure(cause));
    };
    try {
      const reading = this.#reader.onEnd();
      if (reading) reading.then(onRead, onUnreadable);
      else onRead();
    } catch (cause) {
      onUnreadable(cause);
    }
  }

  #fail(failure: UpstreamFailure): void {
    if (!this.#end({ verdict: verdictOf(failure), restMs: failure.retryAfterMs })) return;
    if (!this.#isOver) this.#controller?.abort(failure);
    this.#reader.onFailure(failure);
  }

  /** Returns whether this was the first end. */
  #end(finding: Finding): boolean {
    if (this.#ended) return false;
    this.#ended = true;
    WATCH.delete(this);
    this.#reader.close();
    this.#watch.ended(finding);
    return true;
  }
}

/** Whether the response marks its end by more than closing the connection. */
function staysOpen(headers: Readonly<Record<string, string | string[] | undefined>>): boolean {
  const isClosed = /\bclose\b/i.test(String(headers['connection'] ?? ''));
  const isChunked = /\bchunked\b/i.test(String(headers['transfer-encoding'] ?? ''));
  return !isClosed && (isChunked || headers['content-length'] !== undefined);
}

/** Converts an error of a reader that could not read a completion. */
function toFailure(thrown: unknown): UpstreamFailure {
  return thrown instanceof UpstreamFailure
    ? thrown
    : new UpstreamFailure('garbage', { status: 200, cause: thrown });
}
