import path from 'node:path';
import type { TokenCount, TokenizerName } from '@farebox/catalog';
import { Piscina } from 'piscina';
import { CountingTurns, type Waiting } from './counting-turns';
import { piecesOf } from './pieces';
import { boundsOf, NO_WORDS, type TokenWords } from './single-token-words';

/**
 * How a count ended: completed, out of time, not begun because too many free counts of its account or of all were
 * running, or given up because its thread failed or was closed.
 */
export type CountResult = 'counted' | 'late' | 'crowded' | 'failed';

interface CountRequest {
  tokenizer: TokenizerName;
  /** The account whose turn it takes. */
  accountId: string;
}

/**
 * Counts tokens off the event loop, on one thread, with short turns that rotate over the accounts. Counts for running
 * requests, above all for charges, go first and are never refused: there are no more of them than requests. Free
 * counts get the remaining turns, a limited number at once, and a short time.
 */
export interface TokenCounter {
  /**
   * Counts for free: before a request may run, or for a client who asks. Never rejects and is bounded in time: for
   * texts that were not counted by then, or not accepted, it returns only the bounds.
   */
  countFree(texts: readonly string[], request: CountRequest & { timeoutMs: number }): Promise<TokenCount>;
  /**
   * Counts for a running request. Throws `UncountedError` if the thread failed again and again, hung or was closed.
   */
  countPaid(texts: readonly string[], request: CountRequest): Promise<number>;
  /** Some of the single-token words; none before the tokenizer was prepared. */
  wordsOf(tokenizer: TokenizerName): TokenWords;
  /** Loads the tables of tokenizers before a count needs them. */
  prepare(tokenizers: Iterable<TokenizerName>): void;
  /** Ends running counts as uncounted. */
  close(): Promise<void>;
}

/** A count for a running request could not be finished. */
export class UncountedError extends Error {
  /** The counted tokens and, for the rest, a fair estimate: neither the minimum nor the maximum. */
  readonly estimate: number;

  constructor(estimate: number, result: CountResult) {
    super(`tokens were not counted: ${result}`);
    this.name = 'UncountedError';
    this.estimate = estimate;
  }
}

interface TokenCounterOptions {
  /** Running free counts, of all accounts and of one. */
  mostFree: number;
  mostFreeOfAccount: number;
  /** Time limit of a count for a running request, including the turns of others. */
  paidTimeoutMs: number;
  onCount: (result: CountResult, durationMs: number) => void;
  onError: (error: unknown) => void;
  /** Replaces the thread's own code in tests. */
  worker?: string;
}

/** The thread's reply: the number of pieces that it counted in its turn. Zero if it was too late. */
interface PieceCount {
  tokens: number;
  pieces: number;
}

/** A running count. */
interface Count extends Waiting {
  readonly tokenizer: TokenizerName;
  readonly pieces: readonly string[][];
  readonly deadlineNs: bigint;
  /** The number of counted pieces, and their tokens. */
  counted: number;
  tokens: number;
  /** Pieces that are sent at once. */
  atOnce: number;
  failures: number;
  /** Undefined while it is running. */
  result: CountResult | undefined;
  end: (result: CountResult) => void;
}

/** Pieces in a message, which is copied. */
const MOST_AT_ONCE = 16;
/** A turn whose count is out of time ends soon: it is awaited, since this process may only have stalled. */
const LAST_TURN_MS = 2_000;
/**
 * A turn takes some milliseconds; on a busy machine, with tables to load, seconds. A thread that takes twice this
 * hangs.
 */
const HUNG_AFTER_MS = 7_500;
/** A paid count is retried on another thread. A text that crashes each of them is not counted. */
const MOST_FAILURES = 3;
/** Average of most languages and of code: no tokenizer's own, and as fair to both sides as a guess can be. */
const USUAL_BYTES_OF_TOKEN = 4;
const NS_PER_MS = 1_000_000n;

/** In the bundle, esbuild puts it beside `main.js`, as it does piscina's own `worker.js`. */
const WORKER = path.join(__dirname, 'count-tokens.js');

/** One thread: each has its own tables, and pieces are short enough to take turns on it. */
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

  /** Free counts leave each other room, too. */
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
    // Not one timer for both: a process that stalled for the first gives the thread the second.
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
      // As many as fit into the thread's turn, so that there are few messages.
      count.atOnce = turn.pieces === pieces.length ? Math.min(2 * count.atOnce, MOST_AT_ONCE) : turn.pieces;
    } catch (error) {
      count.failures++;
      if (!count.isPaid || count.failures >= MOST_FAILURES) count.end('failed');
      if (!closing) options.onError(error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** All of them in one task: the thread has normal priority until it has loaded their tables. */
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
