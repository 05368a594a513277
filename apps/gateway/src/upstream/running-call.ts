import type { Upstream } from '@farebox/catalog';
import type { Dispatcher } from 'undici';
import type { BodyReader } from './body-readers';
import { failureOfStatus, UpstreamFailure } from './failure';

export interface UpstreamCall {
  /** Ends the call at once. Nothing of the sink is called after it. */
  abort(): void;
  pause(): void;
  resume(): void;
}

const MAX_ERROR_BYTES = 64 * 1024;

/** One request: its time-outs, its end (once), and which reader its body goes to. */
export class RunningCall implements UpstreamCall {
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
