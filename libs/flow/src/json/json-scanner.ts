import { BYTES_OF_TURN } from '../pace';
import { JsonError } from './json-error';
import { StringEnd } from './string-end';

/** Shorter strings are read and written with their surroundings. */
export const LONG_BYTES = 4_096;

/** Bytes of a container that are parsed at once: they may be thousands of values. */
const RUN_BYTES = 32 * 1024;

/** A part that is cut out of a text. */
export interface Cut {
  start: number;
  end: number;
  /** A string, or a run: entries of a list, or members of an object, with the commas between them. */
  kind: 'string' | 'list' | 'members';
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
 * Finds the long strings of a JSON text, including quotes but not member names, and parts of long lists and objects.
 * Counts the values by the character before each of them. Its findings in invalid JSON do not matter: parsing refuses
 * it.
 */
export class JsonScanner {
  readonly #cuts: Cut[] = [];
  readonly #bytes: Buffer;
  readonly #stringEnd: StringEnd;
  readonly #maxValues: number;
  readonly #containers: OpenContainers | undefined;
  #values = 1;
  #at = 0;
  #stringStart = -1;

  constructor(bytes: Buffer, maxValues: number) {
    this.#bytes = bytes;
    this.#stringEnd = new StringEnd(bytes);
    this.#maxValues = maxValues;
    this.#containers = bytes.length > RUN_BYTES ? new OpenContainers(this.#cuts) : undefined;
  }

  /** In their order. A run is found after the cuts in the entry behind it. */
  get cuts(): readonly Cut[] {
    return this.#cuts.sort((a, b) => a.start - b.start);
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
        this.#containers?.pass(byte, at);
      } else if (byte === CLOSING_BRACKET || byte === CLOSING_BRACE) this.#containers?.pass(byte, at);
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
    this.#cuts.push({ start, end, kind: 'string' });
    this.#containers?.noteCut();
  }
}

/** A shorter run is parsed with its surroundings. */
const LEAST_RUN_BYTES = 1_024;
/** Anything nested deeper is parsed with its parent. */
const DEEPEST = 64;

interface OpenContainer {
  kind: 'list' | 'members';
  /** Where a run may have begun: behind a comma, or behind the opening bracket. */
  runStart: number;
  entryStart: number;
  /** Whether anything was cut out of the entry, or of the container at all: runs contain no cuts. */
  isEntryCut: boolean;
  isCut: boolean;
}

/** Cuts the entries of long lists, and the members of long objects, into runs, as commas and brackets pass by. */
class OpenContainers {
  readonly #cuts: Cut[];
  readonly #open: OpenContainer[] = [];
  #deeper = 0;

  constructor(cuts: Cut[]) {
    this.#cuts = cuts;
  }

  noteCut(): void {
    const container = this.#open.at(-1);
    if (container) container.isEntryCut = container.isCut = true;
  }

  pass(byte: number, at: number): void {
    if (byte === BRACKET || byte === BRACE) this.#begin(byte === BRACKET ? 'list' : 'members', at + 1);
    else if (this.#deeper > 0) {
      if (byte !== COMMA) this.#deeper--;
    } else if (byte === COMMA) this.#endEntry(at, RUN_BYTES);
    else {
      const container = this.#open.at(-1);
      // A container that is not cut may be part of its parent's run.
      if (container) this.#endEntry(at, container.isCut ? LEAST_RUN_BYTES : RUN_BYTES);
      if (this.#open.pop()?.isCut) this.noteCut();
    }
  }

  #begin(kind: OpenContainer['kind'], start: number): void {
    if (this.#open.length < DEEPEST)
      this.#open.push({ kind, runStart: start, entryStart: start, isEntryCut: false, isCut: false });
    else this.#deeper++;
  }

  #endEntry(at: number, leastBytes: number): void {
    const container = this.#open.at(-1);
    if (!container) return;
    const { isEntryCut, runStart, entryStart } = container;
    // Before the comma in front of the entry that contains a cut.
    const end = isEntryCut ? entryStart - 1 : at;
    if (end - runStart >= (isEntryCut ? LEAST_RUN_BYTES : leastBytes)) this.#cutOut(container, end);
    if (isEntryCut) container.runStart = at + 1;
    container.entryStart = at + 1;
    container.isEntryCut = false;
  }

  #cutOut(container: OpenContainer, end: number): void {
    this.#cuts.push({ start: container.runStart, end, kind: container.kind });
    container.runStart = end + 1;
    container.isCut = true;
  }
}
