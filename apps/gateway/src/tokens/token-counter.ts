import path from 'node:path';
import type { TokenCount, TokenizerName } from '@farebox/catalog';
import { Piscina } from 'piscina';
import { CountingTurns, type Waiting } from './counting-turns';
import { piecesOf } from './pieces';
import { boundsOf, NO_WORDS, type TokenWords } from './single-token-words';

/**
 * How a count ended: all of it counted, out of time before that, not begun since too many free ones of its account or of
 * all were under way, or given up since its thread failed or was closed.
 */
export type CountResult = 'counted' | 'late' | 'crowded' | 'failed';

interface CountRequest {
  tokenizer: TokenizerName;
  /** Whose turn it takes. */
  accountId: string;
}

/**
 * Counts tokens off the event loop, on one thread, a short turn for each account after the other. What a running request
 * needs, its charge above all, goes first and is never refused: there is no more of it than there are requests. What is
 * free has the turns that are left, so many at once, and a short time.
 */
export interface TokenCounter {
  /**
   * Counts for nobody who pays: before a request may run, or for whoever asks. Never rejects, and takes no longer than its
   * time: of what was not counted by then, or not taken, it knows the bounds alone.
   */
  countFree(texts: readonly string[], request: CountRequest & { timeoutMs: number }): Promise<TokenCount>;
  /** Counts for a request that runs. Throws `UncountedError` if the thread failed again and again, hung or was closed. */
  countPaid(texts: readonly string[], request: CountRequest): Promise<number>;
  /** Some of the words that are one token; none before the tokenizer was prepared. */
  wordsOf(tokenizer: TokenizerName): TokenWords;
  /** Loads the tables of tokenizers, which takes most of a second, before somebody waits for them. */
  prepare(tokenizers: Iterable<TokenizerName>): void;
  /** Ends what is under way, uncounted. */
  close(): Promise<void>;
}

/** A count for a running request could not be finished. */
export class UncountedError extends Error {
  /** What was counted and, of the rest, a fair guess: neither the fewest tokens that it can be nor the most. */
  readonly estimate: number;

  constructor(estimate: number, result: CountResult) {
    super(`tokens were not counted: ${result}`);
    this.name = 'UncountedError';
    this.estimate = estimate;
  }
}

interface TokenCounterOptions {
  /** Free counts under way, of all accounts and of one. */
  mostFree: number;
  mostFreeOfAccount: number;
  /** Of a count for a running request, the turns of others included. */
  paidTimeoutMs: number;
  onCount: (result: CountResult, durationMs: number) => void;
  onError: (error: unknown) => void;
  /** In place of the thread's own code, for tests. */
  worker?: string;
}

/** What the thread answers: of the pieces that it was given, so many were counted in its turn. None: it was too late. */
interface PieceCount {
  tokens: number;
  pieces: number;
}

/** A count that is under way. */
interface Count extends Waiting {
  readonly tokenizer: TokenizerName;
  readonly pieces: readonly string[][];
  readonly deadlineNs: bigint;
  /** Of the pieces, so many are counted, and have so many tokens. */
  counted: number;
  tokens: number;
  /** So many pieces are sent at once. */
  atOnce: number;
  failures: number;
  /** Undefined while it is under way. */
  result: CountResult | undefined;
  end: (result: CountResult) => void;
}

/** Pieces in a message, which is copied. */
const MOST_AT_ONCE = 16;
/** A turn whose count is out of time is soon over: it is waited for, since this process may only have stood still. */
const LAST_TURN_MS = 2_000;
/** A turn takes some milliseconds; on a busy machine, with tables to load, seconds. A thread that takes twice this is hung. */
const HUNG_AFTER_MS = 7_500;
/** With another thread a paid count is tried again. A text that none of them survives is not counted. */
const MOST_FAILURES = 3;
/** Of most languages, and of code: nobody's tokenizer, and as fair to both sides as one can be without. */
const USUAL_BYTES_OF_TOKEN = 4;
const NS_PER_MS = 1_000_000n;

/** In the bundle, esbuild puts it beside `main.js`, and piscina's own `worker.js` as well. */
const WORKER = path.join(__dirname, 'count-tokens.js');

/** One thread: its tables take 70 MB for each tokenizer, and pieces are short enough to take turns on it. */
export function openTokenCounter(options: TokenCounterOptions): TokenCounter {
  const pool = new Piscina({ filename: options.worker ?? WORKER, minThreads: 1, maxThreads: 1 });
  pool.on('error', options.onError);
  const turns = new CountingTurns<Count>();
  const underWay = new Set<Count>();
  const words = new Map<TokenizerName, TokenWords>();
  let isAtWork = false;
  let preparing: Promise<void> | undefined;
  let closing: Promise<void> | undefined;

  function run(
    texts: readonly string[],
    { tokenizer, accountId }: CountRequest,
    isPaid: boolean,
    timeoutMs: number,
  ): Promise<Count> {
    const startedAtMs = performance.now();
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout | undefined;
      const count: Count = {
        ...{ accountId, isPaid, tokenizer, pieces: piecesOf(texts) },
        deadlineNs: process.hrtime.bigint() + BigInt(timeoutMs) * NS_PER_MS,
        ...{ counted: 0, tokens: 0, atOnce: 1, failures: 0, result: undefined },
        end(result) {
          if (count.result !== undefined) return;
          count.result = result;
          clearTimeout(timer);
          underWay.delete(count);
          options.onCount(result, performance.now() - startedAtMs);
          resolve(count);
        },
      };
      if (count.pieces.length === 0) count.end('counted');
      else if (closing) count.end('failed');
      else if (!isPaid && isCrowded(accountId)) count.end('crowded');
      else {
        timer = setTimeout(() => {
          if (turns.remove(count)) count.end('late');
          else timer = setTimeout(count.end, LAST_TURN_MS, 'late');
        }, timeoutMs);
        underWay.add(count);
        turns.add(count);
        if (!isAtWork) void work();
      }
    });
  }

  /** So that free counts leave each other room, too. */
  function isCrowded(accountId: string): boolean {
    let [free, own] = [0, 0];
    for (const count of underWay) {
      if (count.isPaid) continue;
      free++;
      if (count.accountId === accountId) own++;
    }
    return free >= options.mostFree || own >= options.mostFreeOfAccount;
  }

  async function work(): Promise<void> {
    isAtWork = true;
    for (let count = turns.next(); count; count = turns.next()) {
      await takeTurn(count);
      if (count.counted === count.pieces.length) count.end('counted');
      if (count.result === undefined) turns.add(count);
    }
    isAtWork = false;
  }

  async function takeTurn(count: Count): Promise<void> {
    if (preparing) await preparing;
    const { tokenizer, deadlineNs } = count;
    const pieces = count.pieces.slice(count.counted, count.counted + count.atOnce);
    const hung = new AbortController();
    // Not one timer for both: a process that stood still for the first gives the thread the second.
    let timer = setTimeout(() => {
      timer = setTimeout(() => {
        hung.abort();
      }, HUNG_AFTER_MS);
    }, HUNG_AFTER_MS);
    try {
      const turn = (await pool.run({ pieces, tokenizer, deadlineNs }, { signal: hung.signal })) as PieceCount;
      count.tokens += turn.tokens;
      count.counted += turn.pieces;
      if (turn.pieces === 0) count.end('late');
      // As many as take the thread's turn, so that few messages go to and fro.
      count.atOnce = turn.pieces === pieces.length ? Math.min(2 * count.atOnce, MOST_AT_ONCE) : turn.pieces;
    } catch (error) {
      count.failures++;
      if (!count.isPaid || count.failures >= MOST_FAILURES) count.end('failed');
      if (!closing) options.onError(error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** All of them in one task: the thread has the priority of all others until it has their tables. */
  async function prepare(tokenizers: readonly TokenizerName[]): Promise<void> {
    try {
      const joined = (await pool.run({ tokenizers }, { name: 'prepare' })) as string[];
      tokenizers.forEach((tokenizer, i) => words.set(tokenizer, new Set(joined[i]?.split(/(?= )/))));
    } catch (error) {
      if (!closing) options.onError(error);
    }
    preparing = undefined;
  }

  return {
    async countFree(texts, { timeoutMs, ...request }) {
      const { tokens, pieces, counted } = await run(texts, request, false, timeoutMs);
      const rest = boundsOf(pieces.slice(counted).flat());
      return { least: tokens + rest.least, most: tokens + rest.most };
    },
    async countPaid(texts, request) {
      const {
        result = 'failed',
        tokens,
        pieces,
        counted,
      } = await run(texts, request, true, options.paidTimeoutMs);
      if (result === 'counted') return tokens;
      const rest = boundsOf(pieces.slice(counted).flat());
      const guessed = Math.max(rest.least, Math.ceil(rest.most / USUAL_BYTES_OF_TOKEN));
      throw new UncountedError(tokens + guessed, result);
    },
    wordsOf: (tokenizer) => words.get(tokenizer) ?? NO_WORDS,
    prepare(tokenizers) {
      const unprepared = [...tokenizers].filter((tokenizer) => !words.has(tokenizer));
      if (unprepared.length > 0) preparing = prepare(unprepared);
    },
    close() {
      closing ??= pool.destroy();
      for (const count of [...underWay]) {
        turns.remove(count);
        count.end('failed');
      }
      return closing;
    },
  };
}
