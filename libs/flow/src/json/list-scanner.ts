import { JsonError } from './json-error';
import { BYTES_OF_TURN } from '../pace';
import { LONG_BYTES } from './json-scanner';
import { StringEnd } from './string-end';

export interface Place {
  start: number;
  end: number;
}

/** A member of the text's object that is a list of objects, such as the messages of a conversation. */
export interface FoundList extends Place {
  /** With its quotes. The list itself is between its brackets. */
  name: Place;
  entries: FoundEntry[];
}

export interface FoundEntry extends Place {
  /** Members of all objects in it, duplicates included. */
  members: number;
  /** Its long strings, which may be names. */
  longStrings: LongString[];
}

export interface LongString extends Place {
  /** The number of strings and names before it in its entry. */
  before: number;
}

const NONE: LongString[] = [];

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
const SPACE = 0x20;

export interface ListScannerOptions {
  maxValues?: number;
  /**
   * Writes U+FFFD over the escapes for NUL and for halves of surrogate pairs, in the bytes: programs send any output of
   * their tools, and texts that were cut within an emoji. No database can store them, some servers end a text at a NUL,
   * and half of a pair has no UTF-8 encoding.
   */
  replacesUnfit?: boolean;
}

/**
 * Finds the lists of objects that are members of a JSON text's object, with their entries. Counts the values by the
 * character before each of them. Its findings in invalid JSON do not matter: parsing refuses it.
 */
export class ListScanner {
  readonly lists: FoundList[] = [];
  /** Members of the object itself, duplicates included. */
  members = 0;
  values = 1;
  /** Levels of nesting. */
  deepest = 0;
  /** Bytes of the longest string. */
  longest = 0;
  readonly #bytes: Buffer;
  readonly #stringEnd: StringEnd;
  readonly #maxValues: number;
  #at = 0;
  #depth = 0;
  /** Whether the text is an object. */
  #isObject = false;
  #isInString = false;
  #stringStart = 0;
  /** The last string in the object itself. */
  #name: Place = { start: 0, end: 0 };
  #list: FoundList | undefined;
  #entryStart = 0;
  #entryMembers = 0;
  #entryStrings = 0;
  #longStrings = NONE;

  constructor(bytes: Buffer, { maxValues = Infinity, replacesUnfit = false }: ListScannerOptions) {
    this.#bytes = bytes;
    this.#stringEnd = new StringEnd(bytes, { replacesUnfit });
    this.#maxValues = maxValues;
  }

  /** Whether a string so far has NUL or half of a surrogate pair, or had. */
  get hasUnfit(): boolean {
    return this.#stringEnd.hasUnfit;
  }

  /** Examines the next part. Returns whether there is another one. Throws `JsonError`. */
  scan(): boolean {
    const bytes = this.#bytes;
    const end = Math.min(this.#at + BYTES_OF_TURN, bytes.length);
    let at = this.#at;
    while (at < end) {
      const byte = bytes[at] ?? 0;
      if (this.#isInString) {
        at = this.#stringEnd.search(at, end);
        if (this.#stringEnd.isFound) this.#closeString(at);
      } else if (byte === QUOTE) {
        this.#isInString = true;
        this.#stringStart = at;
        at++;
      } else {
        if (byte > SPACE) this.#pass(byte, at);
        at++;
      }
    }
    this.#at = at;
    return at < bytes.length;
  }

  #closeString(end: number): void {
    this.#isInString = false;
    const start = this.#stringStart;
    if (end - start > this.longest) this.longest = end - start;
    if (this.#depth === 1) this.#name = { start, end };
    else {
      const before = this.#entryStrings++;
      if (end - start < LONG_BYTES || !this.#list) return;
      if (this.#longStrings === NONE) this.#longStrings = [];
      this.#longStrings.push({ start, end, before });
    }
  }

  #pass(byte: number, at: number): void {
    switch (byte) {
      case COMMA:
        this.#countValue();
        if (this.#list && this.#depth === 2) this.#endEntry(this.#list, at);
        break;
      case COLON:
        if (this.#depth === 1) this.members++;
        else this.#entryMembers++;
        break;
      case BRACE:
      case BRACKET:
        this.#countValue();
        this.#open(byte, at);
        break;
      case CLOSING_BRACE:
      case CLOSING_BRACKET:
        this.#close(at);
        break;
    }
  }

  #countValue(): void {
    if (++this.values > this.#maxValues) throw new JsonError('values');
  }

  #open(byte: number, at: number): void {
    this.#depth++;
    if (this.#depth > this.deepest) this.deepest = this.#depth;
    if (this.#depth === 1) this.#isObject = byte === BRACE;
    if (this.#depth !== 2 || byte !== BRACKET || !this.#isObject || !this.#hasObjectAt(at + 1)) return;
    this.#list = { name: this.#name, start: at + 1, end: at + 1, entries: [] };
    this.#beginEntry(at + 1);
  }

  #beginEntry(start: number): void {
    this.#entryStart = start;
    this.#entryMembers = 0;
    this.#entryStrings = 0;
    this.#longStrings = NONE;
  }

  #endEntry(list: FoundList, at: number): void {
    const [start, members, longStrings] = [this.#entryStart, this.#entryMembers, this.#longStrings];
    list.entries.push({ start, end: at, members, longStrings });
    this.#beginEntry(at + 1);
  }

  #close(at: number): void {
    const list = this.#depth === 2 ? this.#list : undefined;
    this.#depth--;
    if (!list) return;
    this.#list = undefined;
    this.#endEntry(list, at);
    list.end = at;
    this.lists.push(list);
  }

  /** A list of many short values is parsed faster as a whole. */
  #hasObjectAt(start: number): boolean {
    let at = start;
    while ((this.#bytes[at] ?? BRACE) <= SPACE) at++;
    return this.#bytes[at] === BRACE;
  }
}
