import path from 'node:path';
import type { TokenCount, TokenizerName } from '@farebox/catalog';
import { Piscina, queueOptionsSymbol, type TaskQueue } from 'piscina';
import { boundsOf, NO_WORDS, type TokenWords } from './sure-words';

/** How a count ended: all of it counted, out of time before that, or not begun since too many were under way. */
export type CountResult = 'counted' | 'late' | 'crowded' | 'failed';

interface CountRequest {
  tokenizer: TokenizerName;
  /** Whose turn it takes. */
  accountId: string;
  timeoutMs: number;
}

/** Counts tokens off the event loop. */
export interface TokenCounter {
  /** Never rejects, and takes no longer than its time: of what was not counted by then it knows the bounds alone. */
  count(texts: readonly string[], request: CountRequest): Promise<TokenCount>;
  /** Some of the words that are one token; none before the tokenizer was prepared. */
  wordsOf(tokenizer: TokenizerName): TokenWords;
  /** Loads the tables of tokenizers, which takes most of a second, before somebody waits for them. */
  prepare(tokenizers: Iterable<TokenizerName>): void;
  close(): Promise<void>;
}

interface TokenCounterOptions {
  /** Counts under way, of all accounts and of one. */
  mostCounts: number;
  mostCountsOfAccount: number;
  onCount: (result: CountResult, durationMs: number) => void;
  onError: (error: unknown) => void;
}

/**
 * A piece takes some milliseconds. A thread that is still at it this long after the end of the count's time is hung, or
 * its machine is stalled: it is ended, and another takes its place.
 */
const HUNG_AFTER_MS = 2_000;
const NS_PER_MS = 1_000_000n;

/** What the thread answers: of the pieces that it was given, so many were counted in its turn. None: it was too late. */
interface PieceCount {
  tokens: number;
  pieces: number;
}

/** Pieces in a message, which is copied. */
const MOST_AT_ONCE = 16;

/** In the bundle, esbuild puts it beside `main.js`, and piscina's own `worker.js` as well. */
const WORKER = path.join(__dirname, 'count-tokens.js');

/** One thread: its tables take 70 MB for each tokenizer, and pieces are short enough to take turns on it. */
export function openTokenCounter(options: TokenCounterOptions): TokenCounter {
  const pool = new Piscina({
    filename: WORKER,
    minThreads: 1,
    maxThreads: 1,
    maxQueue: options.mostCounts,
    taskQueue: new FairQueue(),
  });
  pool.on('error', options.onError);
  const underWay = new Map<string, number>();
  let all = 0;

  function begin(accountId: string): boolean {
    const own = underWay.get(accountId) ?? 0;
    if (all >= options.mostCounts || own >= options.mostCountsOfAccount) return false;
    underWay.set(accountId, own + 1);
    all++;
    return true;
  }

  function end(accountId: string): void {
    const own = (underWay.get(accountId) ?? 1) - 1;
    if (own > 0) underWay.set(accountId, own);
    else underWay.delete(accountId);
    all--;
  }

  async function run(texts: readonly string[], request: CountRequest): Promise<[TokenCount, CountResult]> {
    const { tokenizer, accountId, timeoutMs } = request;
    const pieces = piecesOf(texts);
    if (!begin(accountId)) return [boundsOf(texts), 'crowded'];
    const deadlineNs = process.hrtime.bigint() + BigInt(timeoutMs) * NS_PER_MS;
    // A signal of its own, which nobody listens to once the count is over.
    const hung = new AbortController();
    let timer = setTimeout(() => {
      // Not one timer for both: a process that stood still for all of its time gives the thread this much after that.
      timer = setTimeout(() => {
        hung.abort();
      }, HUNG_AFTER_MS);
    }, timeoutMs);
    let tokens = 0;
    let counted = 0;
    let atOnce = 1;
    let result: CountResult = 'counted';
    try {
      while (counted < pieces.length && result === 'counted') {
        const given = pieces.slice(counted, counted + atOnce);
        const task = { pieces: given, tokenizer, deadlineNs, ...ownedBy(accountId) };
        const count = (await pool.run(task, { signal: hung.signal })) as PieceCount;
        tokens += count.tokens;
        counted += count.pieces;
        if (count.pieces === 0) result = 'late';
        // As many as take the thread's turn, so that few messages go to and fro.
        atOnce = count.pieces === given.length ? Math.min(2 * atOnce, MOST_AT_ONCE) : count.pieces;
      }
    } catch (error) {
      result = hung.signal.aborted ? 'late' : 'failed';
      if (!closing) options.onError(error);
    } finally {
      clearTimeout(timer);
      end(accountId);
    }
    const rest = boundsOf(pieces.slice(counted).flat());
    return [{ least: tokens + rest.least, most: tokens + rest.most }, result];
  }

  const words = new Map<TokenizerName, TokenWords>();

  /** All of them in one task: the thread has the priority of all others until it has their tables. */
  async function prepare(tokenizers: readonly TokenizerName[]): Promise<void> {
    try {
      const task = { tokenizers, ...ownedBy('') };
      const joined = (await pool.run(task, { name: 'prepare' })) as string[];
      tokenizers.forEach((tokenizer, i) => words.set(tokenizer, new Set(joined[i]?.split(/(?= )/))));
    } catch (error) {
      if (!closing) options.onError(error);
    }
  }

  let closing: Promise<void> | undefined;
  return {
    wordsOf: (tokenizer) => words.get(tokenizer) ?? NO_WORDS,
    async count(texts, request) {
      const startedAtMs = performance.now();
      const [count, result] = await run(texts, request);
      options.onCount(result, performance.now() - startedAtMs);
      return count;
    },
    prepare(tokenizers) {
      const unprepared = [...tokenizers].filter((tokenizer) => !words.has(tokenizer));
      if (unprepared.length > 0) void prepare(unprepared);
    },
    close: () => (closing ??= pool.destroy()),
  };
}

type Task = Parameters<TaskQueue['push']>[0];

/** Says whose a task is: `pool.run({ ...task, ...ownedBy(accountId) })`. */
function ownedBy(accountId: string): object {
  return { [queueOptionsSymbol]: { accountId } };
}

/** What waits for a worker thread, one of each account in turn: a flood of one account delays nobody but itself. */
class FairQueue implements TaskQueue {
  /** In the order of their turns. */
  readonly #waiting = new Map<string, Task[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  push(task: Task): void {
    const accountId = ownerOf(task);
    const tasks = this.#waiting.get(accountId);
    if (tasks) tasks.push(task);
    else this.#waiting.set(accountId, [task]);
    this.#size++;
  }

  shift(): Task | null {
    for (const [accountId, tasks] of this.#waiting) {
      const task = tasks.shift();
      // Taken out and put in again: its next turn is after all the others'.
      this.#waiting.delete(accountId);
      if (tasks.length > 0) this.#waiting.set(accountId, tasks);
      if (!task) continue;
      this.#size--;
      return task;
    }
    return null;
  }

  remove(task: Task): void {
    const accountId = ownerOf(task);
    const tasks = this.#waiting.get(accountId) ?? [];
    const at = tasks.indexOf(task);
    if (at < 0) return;
    tasks.splice(at, 1);
    this.#size--;
    if (tasks.length === 0) this.#waiting.delete(accountId);
  }
}

function ownerOf(task: Task): string {
  const options = task[queueOptionsSymbol] as { accountId: string } | null;
  return options?.accountId ?? '';
}

/** The worst text of this length, CJK without a break, takes 50 ms to count; prose takes 1 ms. */
const LENGTH = 16_384;
/** A message that goes to a thread is cloned text by text. */
const TEXTS = 256;
/** How far back a space is looked for, in front of which a text is cut. */
const SEARCHED = 1_024;

/** Cuts texts into pieces, each of which is counted in one go before somebody else has their turn. */
export function piecesOf(texts: readonly string[]): string[][] {
  const pieces: string[][] = [];
  let piece: string[] = [];
  let length = 0;
  const close = (): void => {
    if (piece.length > 0) pieces.push(piece);
    piece = [];
    length = 0;
  };
  for (const text of texts) {
    for (let start = 0; start < text.length;) {
      const end = endOfPiece(text, start, LENGTH - length);
      if (end > start) {
        piece.push(text.slice(start, end));
        length += end - start;
        start = end;
      }
      if (start < text.length || length >= LENGTH || piece.length >= TEXTS) close();
    }
  }
  close();
  return pieces;
}

/** In front of a space, where a tokenizer cuts itself, if there is one near the end. */
function endOfPiece(text: string, start: number, room: number): number {
  const end = start + room;
  if (end >= text.length) return text.length;
  const from = Math.max(start, end - SEARCHED);
  const space = from + text.slice(from, end + 1).lastIndexOf(' ');
  if (space > start && space >= from && text[space - 1] !== ' ') return space;
  // Never between the halves of a character.
  const unit = text.charCodeAt(end);
  return unit >= 0xdc00 && unit <= 0xdfff ? end - 1 : end;
}
