import type { UpstreamFailure } from './failure';
import { SseParser } from './sse-parser';

/** Exactly one of the two is called, once; `onFailure` after `onAnswer` where that one throws. */
export interface WholeSink {
  /** Throws where it is not an answer. */
  onAnswer(body: Buffer): void;
  onFailure(failure: UpstreamFailure): void;
}

/** `onData` for each event, then exactly one of the other two, once; `onFailure` where one of the others throws. */
export interface StreamSink {
  /** Throws where it is not an event of an answer. */
  onData(data: string): void;
  /** Throws where the answer is not complete. */
  onEnd(): void;
  onFailure(failure: UpstreamFailure): void;
}

/** What becomes of the body of a 200 answer. `onChunk` and `onEnd` throw where it is not one. */
export interface BodyReader {
  readonly contentType: RegExp;
  onChunk(chunk: Buffer): void;
  onEnd(): void;
  onFailure(failure: UpstreamFailure): void;
  /** What is left of a chunk is passed over. */
  close(): void;
}

export class WholeReader implements BodyReader {
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

  close(): void {
    this.#chunks.length = 0;
  }

  onFailure(failure: UpstreamFailure): void {
    this.#sink.onFailure(failure);
  }
}

export class EventReader implements BodyReader {
  readonly contentType = /^text\/event-stream\b/i;
  readonly #sink: StreamSink;
  readonly #parser: SseParser;
  #isClosed = false;

  constructor(sink: StreamSink) {
    this.#sink = sink;
    this.#parser = new SseParser((data) => {
      // Some servers send events without data to keep a connection alive.
      if (!this.#isClosed && data !== '') sink.onData(data);
    });
  }

  close(): void {
    this.#isClosed = true;
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
