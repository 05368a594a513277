import { JsonEnd } from './json-end';

/**
 * Calls beyond this are dropped. The stream goes on until its usage report: otherwise a customer who has a
 * model make many calls would not pay for its reasoning.
 */
export const MAX_TOOL_CALL_INDEX = 1_024;

/** One call in one event of a server. */
interface Piece {
  index: number | undefined;
  id: string | undefined;
  name: string | undefined;
  args: string;
}

interface BegunCall {
  /** The server's number for it. */
  said: number | undefined;
  /** Its number in our answer. */
  index: number;
  id: string | undefined;
  name: string;
  hasArguments: boolean;
  end: JsonEnd;
}

/** The call that a piece belongs to. */
interface Place {
  index: number;
  isFirst: boolean;
  /** The part that the piece adds to the name. */
  name: string | undefined;
}

/**
 * Assigns the interleaved pieces of a choice to their calls. Some servers send no index, and some the same
 * index for all: then a name with another id, or after complete arguments, begins another call.
 */
export class ToolCallPieces {
  readonly #begun: BegunCall[] = [];
  readonly #withId = new Map<string, BegunCall>();
  /** The latest call under each of the server's numbers. */
  readonly #numbered = new Map<number, BegunCall>();
  readonly #taken = new Set<number>();
  /** One above the highest number in use. */
  #next = 0;
  #last: BegunCall | undefined;

  place(piece: Piece): Place {
    const known = this.#find(piece);
    const call = known ?? this.#begin(piece);
    this.#last = call;
    if (call.index <= MAX_TOOL_CALL_INDEX) this.#note(call, piece);
    const isNamed = known !== undefined && piece.name === known.name;
    if (known && !isNamed) known.name += piece.name ?? '';
    // Some servers repeat the name in each piece, and clients concatenate names.
    return { index: call.index, isFirst: !known, name: isNamed ? undefined : piece.name };
  }

  /** The calls that began and have no arguments. */
  withoutArguments(): number[] {
    return this.#begun
      .filter(({ index, hasArguments }) => !hasArguments && index <= MAX_TOOL_CALL_INDEX)
      .map(({ index }) => index);
  }

  #find(piece: Piece): BegunCall | undefined {
    const { index, id, name } = piece;
    const withId = id ? this.#withId.get(id) : undefined;
    if (withId && (index === undefined || withId.said === index)) return withId;
    if (index === undefined) return id || name !== undefined ? undefined : this.#last;
    const numbered = this.#numbered.get(index);
    return numbered && !isAnother(numbered, piece) ? numbered : undefined;
  }

  #begin({ index: said, id, name = '' }: Piece): BegunCall {
    const free = said === undefined || this.#taken.has(said) ? this.#next : said;
    const index = Math.min(free, MAX_TOOL_CALL_INDEX + 1);
    this.#next = Math.max(this.#next, index + 1);
    const call = {
      said,
      index,
      id: id === '' ? undefined : id,
      name,
      hasArguments: false,
      end: new JsonEnd(),
    };
    if (said !== undefined) this.#numbered.set(said, call);
    this.#taken.add(index);
    if (index <= MAX_TOOL_CALL_INDEX) this.#begun.push(call);
    return call;
  }

  #note(call: BegunCall, { id, args }: Piece): void {
    if (id) {
      call.id ??= id;
      this.#withId.set(id, call);
    }
    if (args.trim() !== '') call.hasArguments = true;
    if (!call.end.isReached) call.end.read(args);
  }
}

function isAnother(call: BegunCall, { id, name, args }: Piece): boolean {
  if (!name) return false;
  if (id && call.id !== undefined) return id !== call.id;
  return call.end.isReached && (name !== call.name || args !== '');
}
