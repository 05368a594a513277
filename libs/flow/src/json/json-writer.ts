import { splitsCharacter } from '../characters';
import { namesOf } from './member-names';
import { LEAST_LENGTH, type WrittenEntry, type WrittenJson } from './written-json';

/** Lighter values are written at once, by `JSON.stringify`. */
const LIGHT = 64 * 1024;
/** A value weighs this much beside its characters, also if it is sent as it came: it was compared. */
const WEIGHT = 64;
/** With more members or entries, a value is not light. */
const MOST_ENTRIES = LIGHT / WEIGHT;
/** Values that are nested deeper are not written at once, either: that would take a deep stack. */
const DEEPEST = 64;
/** Characters of a long string that are written at once. */
const PART_LENGTH = 64 * 1024;

/** Shorter pieces are joined: each piece is written to a socket by itself. */
const LEAST_PIECE_BYTES = 16 * 1024;

/** After this many new entries in a row, the list is a new one. */
const MOST_MISSED = 16;

interface OpenObject {
  kind: 'object';
  object: Record<string, unknown>;
  names: readonly string[];
  at: number;
  before: '{' | ',';
  isRoot: boolean;
}

interface OpenList {
  kind: 'list';
  list: readonly unknown[];
  at: number;
  before: '[' | ',';
  /** Entries in a row that are not in the original text. */
  missed: number;
}

interface OpenText {
  kind: 'text';
  text: string;
  at: number;
}

type Open = OpenObject | OpenList | OpenText;

/** Entries that stand beside each other in the original text, with only a comma between two of them. */
type Run = Pick<WrittenEntry, 'bytes' | 'start' | 'end'>;

/** Writes a value as JSON, in parts of limited length. */
export class JsonWriter {
  /** The JSON so far. */
  readonly pieces: Buffer[] = [];
  readonly #written: WrittenJson;
  readonly #lightLength: number;
  /** The values that contain the next one. */
  readonly #open: Open[] = [];
  /** Names of the members of objects that are not light. Thousands of them are listed in milliseconds, so only once. */
  readonly #namesOfHeavy = new Map<object, readonly string[]>();
  #text = '';
  /** Short pieces, which are not in `pieces` yet. */
  #short: Buffer[] = [];
  #run: Run | undefined;
  /** How much of this part is written: a measure of the time that it took. */
  #length = 0;

  constructor(value: unknown, written: WrittenJson) {
    this.#written = written;
    // Longer strings are looked up.
    this.#lightLength = written.hasStrings ? LEAST_LENGTH : LIGHT;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) this.#begin(value);
    else this.#beginObject(value as Record<string, unknown>, true);
  }

  /** Writes the next part, of about this length. Returns whether there is another one. */
  write(partLength: number): boolean {
    this.#length = 0;
    for (let last = this.#open.at(-1); last && this.#length < partLength; last = this.#open.at(-1))
      if (!this.#goOn(last)) this.#open.pop();
    this.#flush();
    this.#joinShort();
    return this.#open.length > 0;
  }

  /** Writes a value at once, or opens it. */
  #begin(value: unknown): void {
    if (this.#addWritten(value)) return;
    const weight = this.#weigh(value);
    if (weight <= LIGHT) this.#add(JSON.stringify(value), weight);
    else if (typeof value === 'string') this.#beginText(value);
    else if (Array.isArray(value)) this.#beginList(value as unknown[], MOST_MISSED);
    else this.#beginObject(value as Record<string, unknown>, false);
  }

  /** Adds a value whose JSON is known. Returns whether it is. */
  #addWritten(value: unknown): boolean {
    const pieces = this.#written.jsonOf(value);
    if (!pieces) return false;
    this.#flush();
    for (const piece of pieces) this.#push(piece);
    this.#length += WEIGHT;
    return true;
  }

  #beginObject(object: Record<string, unknown>, isRoot: boolean): void {
    const names = this.#namesOfHeavy.get(object) ?? namesOf(object);
    this.#open.push({ kind: 'object', object, names, at: 0, before: '{', isRoot });
  }

  #beginList(list: readonly unknown[], missed: number): void {
    this.#open.push({ kind: 'list', list, at: 0, before: '[', missed });
  }

  #beginText(text: string): void {
    const inside = this.#written.insideOf(text);
    if (inside) {
      this.#add('"');
      this.#flush();
      for (const piece of inside) this.#push(piece);
      this.#add('"', WEIGHT);
    } else if (text.length <= PART_LENGTH) this.#add(JSON.stringify(text));
    else {
      this.#add('"');
      this.#open.push({ kind: 'text', text, at: 0 });
    }
  }

  /** Writes the next part of the last open value. Returns whether there is more of it. */
  #goOn(open: Open): boolean {
    switch (open.kind) {
      case 'object':
        return this.#goOnWithObject(open);
      case 'list':
        return this.#goOnWithList(open);
      case 'text':
        return this.#goOnWithText(open);
    }
  }

  #goOnWithObject(open: OpenObject): boolean {
    const name = open.names[open.at++];
    if (name === undefined) {
      this.#add(open.before === '{' ? '{}' : '}');
      return false;
    }
    const member = open.object[name];
    if (member === undefined) return true;
    this.#add(`${open.before}${JSON.stringify(name)}:`);
    open.before = ',';
    this.#length += WEIGHT;
    if (!open.isRoot || !Array.isArray(member)) this.#begin(member);
    else if (!this.#addWritten(member)) this.#beginList(member as unknown[], 0);
    return true;
  }

  #goOnWithList(open: OpenList): boolean {
    const { list } = open;
    const from = open.at;
    let found: WrittenEntry | undefined;
    let [weight, all] = [0, 0];
    while (open.at < list.length) {
      found = open.missed < MOST_MISSED ? this.#written.entryOf(list[open.at]) : undefined;
      if (found) break;
      weight = this.#weigh(list[open.at]);
      if (all + weight > LIGHT) break;
      all += weight;
      open.missed++;
      open.at++;
    }
    if (open.at > from) {
      this.#add(open.before + JSON.stringify(list.slice(from, open.at)).slice(1, -1), all);
      open.before = ',';
    }
    if (open.at === list.length) {
      this.#add(open.before === '[' ? '[]' : ']');
      return false;
    }
    if (found) this.#addEntry(open, found);
    else if (weight > LIGHT) {
      this.#add(open.before);
      open.before = ',';
      open.missed++;
      this.#begin(list[open.at++]);
    }
    return true;
  }

  #addEntry(open: OpenList, { bytes, start, end, members }: WrittenEntry): void {
    const run = this.#run;
    if (run?.bytes === bytes && run.end + 1 === start) run.end = end;
    else {
      this.#add(open.before);
      this.#flush();
      this.#run = { bytes, start, end };
    }
    open.before = ',';
    open.missed = 0;
    open.at++;
    this.#length += WEIGHT * (members + 1);
  }

  #goOnWithText(open: OpenText): boolean {
    const { text, at } = open;
    let end = Math.min(at + PART_LENGTH, text.length);
    if (splitsCharacter(text, end)) end++;
    this.#add(JSON.stringify(text.slice(at, end)).slice(1, -1));
    open.at = end;
    if (end < text.length) return true;
    this.#add('"');
    return false;
  }

  /** The approximate length of a value; more than `LIGHT` if it is not light or has a string that must be looked up. */
  #weigh(value: unknown, depthLeft = DEEPEST): number {
    if (typeof value === 'string') return value.length < this.#lightLength ? value.length + WEIGHT : Infinity;
    if (typeof value !== 'object' || value === null) return WEIGHT;
    if (depthLeft === 0 || this.#namesOfHeavy.has(value)) return Infinity;
    return Array.isArray(value)
      ? this.#weighList(value as unknown[], depthLeft)
      : this.#weighObject(value as Record<string, unknown>, depthLeft);
  }

  #weighList(list: readonly unknown[], depthLeft: number): number {
    if (list.length > MOST_ENTRIES) return Infinity;
    let weight = WEIGHT;
    for (let i = 0; i < list.length && weight <= LIGHT; i++) weight += this.#weigh(list[i], depthLeft - 1);
    return weight;
  }

  #weighObject(object: Record<string, unknown>, depthLeft: number): number {
    const names = namesOf(object);
    let weight = names.length > MOST_ENTRIES ? Infinity : WEIGHT;
    for (let i = 0; i < names.length && weight <= LIGHT; i++) {
      const name = names[i] ?? '';
      weight += name.length + this.#weigh(object[name], depthLeft - 1);
    }
    if (weight > LIGHT) this.#namesOfHeavy.set(object, names);
    return weight;
  }

  #add(text: string, weight = 0): void {
    if (this.#run) this.#flush();
    this.#text += text;
    this.#length += Math.max(text.length, weight);
  }

  #flush(): void {
    if (this.#text !== '') this.#push(Buffer.from(this.#text));
    this.#text = '';
    if (this.#run) this.#push(this.#run.bytes.subarray(this.#run.start, this.#run.end));
    this.#run = undefined;
  }

  #push(piece: Buffer): void {
    if (piece.length >= LEAST_PIECE_BYTES) this.#joinShort();
    (piece.length < LEAST_PIECE_BYTES ? this.#short : this.pieces).push(piece);
  }

  #joinShort(): void {
    const [first] = this.#short;
    if (first) this.pieces.push(this.#short.length === 1 ? first : Buffer.concat(this.#short));
    this.#short = [];
  }
}
