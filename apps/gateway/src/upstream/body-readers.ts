import { StringDecoder } from 'node:string_decoder';
import { createParser } from 'eventsource-parser';
import { BYTES_AT_ONCE, joinInTurns } from '@farebox/flow';
import type { UpstreamFailure } from './failure';

/** Exactly one of the two is called, once. If `onAnswer` throws, `onFailure` follows. */
export interface WholeSink {
  /** Throws, now or later, if the body is not a completion. */
  onAnswer(body: Buffer): void | Promise<void>;
  /** The response is long: reading pauses until this resolves. */
  onLong?(): Promise<void>;
  onFailure(failure: UpstreamFailure): void;
}

/**
 * `onData` for each event, then exactly one of the other two, once. If one of the others throws, `onFailure`
 * follows.
 */
export interface StreamSink {
  /** Throws if the event is not part of a completion. */
  onData(data: string): void;
  /** Throws if the response is incomplete. */
  onEnd(): void;
  onFailure(failure: UpstreamFailure): void;
}

/**
 * Reads the body of a 200 response. `onChunk` and `onEnd` throw if it is invalid; `onEnd` may also reject.
 */
export interface BodyReader {
  readonly contentType: RegExp;
  /** Whether the first bytes look like a valid body, whatever the headers say. */
  looksRight(chunk: Buffer): boolean;
  /** Reading pauses until the returned promise resolves. */
  onChunk(chunk: Buffer): void | Promise<void>;
  onEnd(): void | Promise<void>;
  onFailure(failure: UpstreamFailure): void;
  /** Ignores the rest of the current chunk. */
  close(): void;
}

const JSON_TYPE = /^application\/json\b/i;
/** Some servers send streams without a content type, or as `text/plain`. */
const SNIFFED_BYTES = 64;
/** A longer non-streamed response waits for a place. */
const LONG_BYTES = 1024 * 1024;
const EVENTS_TYPE = /^text\/event-stream\b/i;

export class WholeReader implements BodyReader {
  readonly contentType = JSON_TYPE;
  readonly looksRight = (chunk: Buffer): boolean => /^\s*\{/.test(chunk.toString('utf8', 0, SNIFFED_BYTES));
  readonly #sink: WholeSink;
  readonly #maxBytes: number;
  readonly #chunks: Buffer[] = [];
  #length = 0;
  /** The pending place of a long response. */
  #room: Promise<void> | undefined;
  #isClosed = false;

  constructor(sink: WholeSink, maxBytes: number) {
    this.#sink = sink;
    this.#maxBytes = maxBytes;
  }

  onChunk(chunk: Buffer): void | Promise<void> {
    this.#length += chunk.length;
    if (this.#length > this.#maxBytes) throw new RangeError('the answer is too large');
    this.#chunks.push(chunk);
    if (this.#length > LONG_BYTES && this.#room === undefined) {
      this.#room = this.#sink.onLong?.();
      return this.#room;
    }
  }

  onEnd(): void | Promise<void> {
    if (this.#length > BYTES_AT_ONCE) return this.#endLong();
    const chunks = this.#chunks.splice(0);
    const [only] = chunks;
    return this.#sink.onAnswer(only && chunks.length === 1 ? only : Buffer.concat(chunks, this.#length));
  }

  async #endLong(): Promise<void> {
    // A connection whose end marks the end of the body cannot be paused: the rest arrived meanwhile.
    await this.#room;
    const body = await joinInTurns(this.#chunks.splice(0));
    if (!this.#isClosed) await this.#sink.onAnswer(body);
  }

  close(): void {
    this.#isClosed = true;
    this.#chunks.length = 0;
  }

  onFailure(failure: UpstreamFailure): void {
    this.#sink.onFailure(failure);
  }
}

export class EventReader implements BodyReader {
  readonly contentType = EVENTS_TYPE;
  readonly looksRight = (chunk: Buffer): boolean =>
    /^\uFEFF?\s*(?:data|event|id|retry)?:/.test(chunk.toString('utf8', 0, SNIFFED_BYTES));
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
    const last = this.#parser.end();
    if (last !== undefined && !this.#isClosed && isWhole(last)) this.#sink.onData(last);
    if (!this.#isClosed) this.#sink.onEnd();
  }

  onFailure(failure: UpstreamFailure): void {
    this.#sink.onFailure(failure);
  }
}

/** An event cut off by the end of the stream proves nothing. */
function isWhole(data: string): boolean {
  if (data === '[DONE]') return true;
  try {
    return typeof JSON.parse(data) === 'object';
  } catch {
    return false;
  }
}

/** A longer line or event is not accepted. */
export const MAX_LINE_LENGTH = 1024 * 1024;

const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Parses an event stream as it arrives and passes on the data of each event. Chunks may be cut anywhere,
 * lines end with LF, CRLF or CR, several `data` lines of an event are joined, and a byte-order mark, comments
 * and other fields are ignored. `push` throws `RangeError` if a line or an event is too long. Source: WHATWG
 * HTML, "Server-sent events".
 */
export class SseParser {
  #onData: (data: string) => void;
  readonly #decoder = new StringDecoder('utf8');
  readonly #parser = createParser({
    maxBufferSize: MAX_LINE_LENGTH,
    onEvent: ({ data }) => {
      this.#onData(data);
    },
    onError: ({ type, message }) => {
      if (type === 'max-buffer-size-exceeded') throw new RangeError(message);
    },
  });
  #isFirst = true;
  #skipLineFeed = false;

  constructor(onData: (data: string) => void) {
    this.#onData = onData;
  }

  push(chunk: Buffer): void {
    let text = this.#decoder.write(chunk);
    if (text === '') return;
    if (this.#isFirst && text.startsWith(BYTE_ORDER_MARK)) text = text.slice(1);
    this.#isFirst = false;
    // The library waits for the next chunk to see whether a CR at the end of this one belongs to a CRLF.
    if (this.#skipLineFeed && text.startsWith('\n')) text = text.slice(1);
    this.#skipLineFeed = text.endsWith('\r');
    this.#parser.feed(this.#skipLineFeed ? `${text}\n` : text);
  }

  /**
   * Ends the stream and returns the data of an event without its blank line. The standard drops that event,
   * but servers leave the line out.
   */
  end(): string | undefined {
    let last: string | undefined;
    const keep = (data: string): void => {
      last = data;
    };
    this.#onData = keep;
    this.#parser.feed('\n\n');
    return last === '' ? undefined : last;
  }
}
