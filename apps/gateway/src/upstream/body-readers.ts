import { StringDecoder } from 'node:string_decoder';
import { BYTES_OF_TURN, joinInTurns } from '@farebox/flow';
import type { UpstreamFailure } from './failure';

/** Exactly one of the two is called, once; `onFailure` after `onAnswer` if that one throws. */
export interface WholeSink {
  /** Throws, now or later, if it is not a completion. */
  onAnswer(body: Buffer): void | Promise<void>;
  /** The response is a long one: no more of it is read until this resolves. */
  onLong?(): Promise<void>;
  onFailure(failure: UpstreamFailure): void;
}

/** `onData` for each event, then exactly one of the other two, once; `onFailure` if one of the others throws. */
export interface StreamSink {
  /** Throws if it is not an event of a completion. */
  onData(data: string): void;
  /** Throws if the response is not complete. */
  onEnd(): void;
  onFailure(failure: UpstreamFailure): void;
}

/** What becomes of the body of a 200 response. `onChunk` and `onEnd` throw if it is not one, `onEnd` now or later. */
export interface BodyReader {
  readonly contentType: RegExp;
  /** Whether a body begins as one does, whatever its headers say that it is. */
  looksRight(chunk: Buffer): boolean;
  /** No more is read until what it returns resolves. */
  onChunk(chunk: Buffer): void | Promise<void>;
  onEnd(): void | Promise<void>;
  onFailure(failure: UpstreamFailure): void;
  /** What is left of a chunk is passed over. */
  close(): void;
}

const JSON_TYPE = /^application\/json\b/i;
/** Some servers name no type of a stream, or `text/plain`. */
const SNIFFED_BYTES = 64;
/** A response in one piece that is longer waits for its place. */
const LONG_BYTES = 1024 * 1024;
const EVENTS_TYPE = /^text\/event-stream\b/i;

export class WholeReader implements BodyReader {
  readonly contentType = JSON_TYPE;
  readonly looksRight = (chunk: Buffer): boolean => /^\s*\{/.test(chunk.toString('utf8', 0, SNIFFED_BYTES));
  readonly #sink: WholeSink;
  readonly #maxBytes: number;
  readonly #chunks: Buffer[] = [];
  #length = 0;
  /** The place of a long one. */
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
    if (this.#length > BYTES_OF_TURN) return this.#endLong();
    const chunks = this.#chunks.splice(0);
    const [only] = chunks;
    return this.#sink.onAnswer(only && chunks.length === 1 ? only : Buffer.concat(chunks, this.#length));
  }

  async #endLong(): Promise<void> {
    // A connection that its end alone tells of cannot be paused: the rest has come meanwhile.
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

/** An event that the end has cut off says nothing for sure. */
function isWhole(data: string): boolean {
  if (data === '[DONE]') return true;
  try {
    return typeof JSON.parse(data) === 'object';
  } catch {
    return false;
  }
}

/** A line of an event stream, or the data of an event, that is longer than this is not a response. */
export const MAX_LINE_LENGTH = 1024 * 1024;

const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Parses an event stream as it arrives and hands on the data of each event: chunks may be cut anywhere, lines end with
 * LF, CRLF or CR, several `data` lines of an event are joined, a byte-order mark, comments and other fields are passed
 * over. `push` throws `RangeError` if a line or an event has no end. Source: WHATWG HTML, "Server-sent events".
 */
export class SseParser {
  readonly #onData: (data: string) => void;
  readonly #decoder = new StringDecoder('utf8');
  /** The line that has not ended, in the pieces in which it came. */
  #rest: string[] = [];
  #restLength = 0;
  /** Of the event that has not ended. */
  #data: string | undefined;
  #skipLineFeed = false;
  #isFirstLine = true;

  constructor(onData: (data: string) => void) {
    this.#onData = onData;
  }

  push(chunk: Buffer): void {
    const text = this.#decoder.write(chunk);
    let start = 0;
    let feed = indexIn(text, '\n', 0);
    let carriageReturn = indexIn(text, '\r', 0);
    for (let end = Math.min(feed, carriageReturn); end < text.length; end = Math.min(feed, carriageReturn)) {
      // The second half of a CRLF whose CR already ended the line is no other line.
      const isSecondHalf = end === feed && end === start && this.#skipLineFeed;
      if (!isSecondHalf) this.#line(this.#take(text.slice(start, end)));
      this.#skipLineFeed = end === carriageReturn;
      start = end + 1;
      if (end === feed) feed = indexIn(text, '\n', start);
      else carriageReturn = indexIn(text, '\r', start);
    }
    if (start < text.length) this.#keep(text.slice(start));
  }

  /**
   * The stream has ended: the data of an event that no blank line has ended. The standard passes it over, and servers leave
   * the line out.
   */
  end(): string | undefined {
    if (this.#restLength > 0) this.#line(this.#take(''));
    const data = this.#data;
    this.#data = undefined;
    return data === '' ? undefined : data;
  }

  #keep(piece: string): void {
    this.#skipLineFeed = false;
    this.#rest.push(piece);
    this.#restLength += piece.length;
    if (this.#restLength > MAX_LINE_LENGTH) throw new RangeError('a line of the event stream is too long');
  }

  /** The whole line that this piece ends. */
  #take(piece: string): string {
    if (this.#restLength === 0) return piece;
    const line = this.#rest.join('') + piece;
    this.#rest = [];
    this.#restLength = 0;
    return line;
  }

  #line(text: string): void {
    const line = this.#isFirstLine && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
    this.#isFirstLine = false;
    if (line === '') this.#dispatch();
    else if (line === 'data') this.#add('');
    else if (line.startsWith('data:')) this.#add(line.slice(line[5] === ' ' ? 6 : 5));
  }

  #add(data: string): void {
    this.#data = this.#data === undefined ? data : `${this.#data}\n${data}`;
    if (this.#data.length >= MAX_LINE_LENGTH)
      throw new RangeError('an event of the event stream is too long');
  }

  #dispatch(): void {
    const data = this.#data;
    if (data === undefined) return;
    this.#data = undefined;
    this.#onData(data);
  }
}

/** Where a character stands next; behind all of the text if it does not. */
function indexIn(text: string, character: string, from: number): number {
  const at = text.indexOf(character, from);
  return at < 0 ? Infinity : at;
}
