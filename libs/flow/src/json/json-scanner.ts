import { BYTES_OF_TURN } from '../pace';
import { JsonError } from './json-error';
import { StringEnd } from './string-end';

/** Shorter strings are read and written with their surroundings. */
export const LONG_BYTES = 4_096;

/** A part that is cut out of a text. */
interface Cut {
  start: number;
  end: number;
  /** Entries of a list, with the commas between them; otherwise it is a string. */
  isRun: boolean;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
const WHITE_SPACE = new Set(Buffer.from(' \t\n\r'));

/**
 * Finds the long strings of a JSON text, including quotes but not member names, and optionally parts of long lists.
 * Counts the values by the character before each of them. Its findings in invalid JSON do not matter: parsing refuses
 * it.
 */
export class JsonScanner {
  readonly cuts: Cut[] = [];
  readonly #bytes: Buffer;
  readonly #stringEnd: StringEnd;
  readonly #maxValues: number;
  readonly #lists: OpenLists | undefined;
  #values = 1;
  #at = 0;
  #stringStart = -1;

  constructor(bytes: Buffer, { maxValues, cutsLists }: { maxValues: number; cutsLists: boolean }) {
    this.#bytes = bytes;
    this.#stringEnd = new StringEnd(bytes);
    this.#maxValues = maxValues;
    this.#lists = cutsLists && bytes.length > BYTES_OF_TURN ? new OpenLists(this.cuts) : undefined;
  }

  /** Examines the next part. Returns whether there is another one. */
  scan(): boolean {
    const bytes = this.#bytes;
    const end = Math.min(this.#at + BYTES_OF_TURN, bytes.length);
    let at = this.#at;
    while (at < end) {
      if (this.#stringStart >= 0) {
        at = this.#stringEnd.search(at, end);
        if (this.#stringEnd.isFound) this.#close(at);
        continue;
      }
      const byte = bytes[at];
      if (byte === QUOTE) this.#stringStart = at;
      else if (byte === COMMA || byte === BRACKET || byte === BRACE) {
        if (++this.#values > this.#maxValues) throw new JsonError('values');
        this.#lists?.pass(byte, at);
      } else if (byte === CLOSING_BRACKET || byte === CLOSING_BRACE) this.#lists?.pass(byte, at);
      at++;
    }
    this.#at = at;
    return at < bytes.length;
  }

  #close(end: number): void {
    const start = this.#stringStart;
    this.#stringStart = -1;
    if (end - start < LONG_BYTES) return;
    let next = end;
    while (WHITE_SPACE.has(this.#bytes[next] ?? 0)) next++;
    if (this.#bytes[next] === COLON) return;
    this.cuts.push({ start, end, isRun: false });
    this.#lists?.noteCut();
  }
}

/** Bytes of a list that are parsed at once. */
const RUN_BYTES = 64 * 1024;
/** Anything nested deeper is parsed with its parent. */
const DEEPEST = 64;

interface OpenContainer {
  isList: boolean;
  /** Behind the last comma at which a run may have begun. */
  runStart: number;
  /** Whether anything was cut out since then, or in it at all: runs contain no cuts. */
  isCutSince: boolean;
  isCut: boolean;
}

/** Cuts the entries of long lists into runs, as commas and brackets pass by. */
class OpenLists {
  readonly #cuts: Cut[];
  readonly #open: OpenContainer[] = [];
  #deeper = 0;

  constructor(cuts: Cut[]) {
    this.#cuts = cuts;
  }

  noteCut(): void {
    const container = this.#open.at(-1);
    if (container) container.isCutSince = container.isCut = true;
  }

  pass(byte: number, at: number): void {
    if (byte === BRACKET || byte === BRACE) this.#begin(byte === BRACKET, at);
    else if (this.#deeper > 0) {
      if (byte !== COMMA) this.#deeper--;
    } else if (byte === COMMA) this.#endEntry(at);
    else {
      this.#endEntry(at);
      if (this.#open.pop()?.isCut) this.noteCut();
    }
  }

  #begin(isList: boolean, at: number): void {
    if (this.#open.length < DEEPEST)
      this.#open.push({ isList, runStart: at + 1, isCutSince: false, isCut: false });
    else this.#deeper++;
  }

  #endEntry(at: number): void {
    const container = this.#open.at(-1);
    if (!container?.isList) return;
    if (container.isCutSince) {
      container.runStart = at + 1;
      container.isCutSince = false;
    } else if (at - container.runStart >= RUN_BYTES) {
      this.#cuts.push({ start: container.runStart, end: at, isRun: true });
      container.runStart = at + 1;
      container.isCut = true;
    }
  }
}
