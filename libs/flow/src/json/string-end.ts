import { halfAt, isNulAt, replaceEscape, UNICODE_ESCAPE_BYTES } from './unfit-escapes';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const U = 0x75;

/** Bytes of a string that are examined one by one before its end, or its next escape, is searched for. */
const SEARCHED_AFTER = 32;

/** Finds the ends of the strings in a JSON text, one after the other. */
export class StringEnd {
  /** Whether the last search found the end. */
  isFound = false;
  /**
   * Whether a string so far has an escape for NUL or for half of a surrogate pair. Without an escape there is neither:
   * a NUL by itself is not JSON, and half of a pair is not UTF-8.
   */
  hasUnfit = false;
  readonly #bytes: Buffer;
  readonly #replacesUnfit: boolean;
  #nextQuote = -1;
  #nextBackslash = -1;

  constructor(bytes: Buffer, { replacesUnfit = false }: { replacesUnfit?: boolean } = {}) {
    this.#bytes = bytes;
    this.#replacesUnfit = replacesUnfit;
  }

  /** The place behind the end of the string that contains `from`; where to search on if it is not before `until`. */
  search(from: number, until: number): number {
    const bytes = this.#bytes;
    let at = from;
    while (at < until) {
      for (const stop = Math.min(at + SEARCHED_AFTER, bytes.length); at < stop; at++) {
        const byte = bytes[at];
        if (byte === BACKSLASH) at += bytes[at + 1] === U ? this.#examine(at) : 1;
        else if (byte === QUOTE) {
          this.isFound = true;
          return at + 1;
        }
      }
      if (this.#nextQuote < at) this.#nextQuote = this.#find(QUOTE, at);
      if (this.#nextBackslash < at) this.#nextBackslash = this.#find(BACKSLASH, at);
      at = Math.min(this.#nextQuote, this.#nextBackslash);
    }
    this.isFound = false;
    return at;
  }

  /** Examines the escape `\u` at `at`. Returns how many bytes behind its backslash need no look. */
  #examine(at: number): number {
    const half = halfAt(this.#bytes, at);
    if (half === 'high' && halfAt(this.#bytes, at + UNICODE_ESCAPE_BYTES) === 'low')
      return 2 * UNICODE_ESCAPE_BYTES - 1;
    if (half !== undefined || isNulAt(this.#bytes, at)) {
      this.hasUnfit = true;
      if (this.#replacesUnfit) replaceEscape(this.#bytes, at);
    }
    return 1;
  }

  #find(byte: number, from: number): number {
    const at = this.#bytes.indexOf(byte, from);
    return at < 0 ? this.#bytes.length : at;
  }
}
