const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Bytes of a string that are examined one by one before its end, or its next escape, is searched for. */
const SEARCHED_AFTER = 32;

/** Finds the ends of the strings in a JSON text, one after the other. */
export class StringEnd {
  /** Whether the last search found the end. */
  isFound = false;
  readonly #bytes: Buffer;
  #nextQuote = -1;
  #nextBackslash = -1;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** The place behind the end of the string that contains `from`; where to search on if it is not before `until`. */
  search(from: number, until: number): number {
    const bytes = this.#bytes;
    let at = from;
    while (at < until) {
      for (const stop = Math.min(at + SEARCHED_AFTER, bytes.length); at < stop; at++) {
        const byte = bytes[at];
        if (byte === BACKSLASH) at++;
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

  #find(byte: number, from: number): number {
    const at = this.#bytes.indexOf(byte, from);
    return at < 0 ? this.#bytes.length : at;
  }
}
