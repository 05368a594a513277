import type { UpstreamFailure } from './failure';
import { SseParser } from './sse-parser';

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

/** What becomes of the body of a 200 answer. */
export interface BodyReader {
  readonly contentType: RegExp;
  onFailure(failure: UpstreamFailure): void;
  /** Throws where it is not an answer. */
  onChunk(chunk: Buffer): void;
  onEnd(): void;
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

  onFailure(failure: UpstreamFailure): void {
    this.#sink.onFailure(failure);
  }
}

export class EventReader implements BodyReader {
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
