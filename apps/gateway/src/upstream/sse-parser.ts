import { StringDecoder } from 'node:string_decoder';

/** A line of an event stream that is longer than this is not an answer. */
const MAX_LINE_LENGTH = 1024 * 1024;

/**
 * Parses an event stream as it arrives and hands on the data of each event: chunks may be cut anywhere, lines end with
 * LF, CRLF or CR, several `data` lines of an event are joined, comments and other fields are passed over.
 * `push` throws `RangeError` where a line or an event has no end. Source: WHATWG HTML, "Server-sent events".
 */
export class SseParser {
  readonly #onData: (data: string) => void;
  readonly #decoder = new StringDecoder('utf8');
  #rest = '';
  #data: string[] = [];
  #dataLength = 0;
  #skipLineFeed = false;

  constructor(onData: (data: string) => void) {
    this.#onData = onData;
  }

  push(chunk: Buffer): void {
    const text = this.#rest + this.#decoder.write(chunk);
    let start = 0;
    for (let at = this.#rest.length; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code !== 10 && code !== 13) {
        this.#skipLineFeed = false;
        continue;
      }
      if (code === 10 && this.#skipLineFeed) {
        // The second half of a CRLF whose CR already ended the line.
        this.#skipLineFeed = false;
        start = at + 1;
        continue;
      }
      this.#skipLineFeed = code === 13;
      this.#line(text.slice(start, at));
      start = at + 1;
    }
    this.#rest = text.slice(start);
    if (this.#rest.length > MAX_LINE_LENGTH) throw new RangeError('a line of the event stream is too long');
  }

  #line(line: string): void {
    if (line === '') {
      if (this.#data.length === 0) return;
      const data = this.#data.length === 1 ? (this.#data[0] ?? '') : this.#data.join('\n');
      this.#data = [];
      this.#dataLength = 0;
      this.#onData(data);
      return;
    }
    if (!line.startsWith('data')) return;
    if (line.length > 4 && line[4] !== ':') return;
    const value = line.slice(line[5] === ' ' ? 6 : 5);
    this.#dataLength += value.length;
    if (this.#dataLength > MAX_LINE_LENGTH) throw new RangeError('an event of the event stream is too long');
    this.#data.push(value);
  }
}
