import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { constants, getPriority, tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate as endOfTurn } from 'node:timers/promises';
import { MessagePort, Worker } from 'node:worker_threads';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { standStill, waitUntil } from '@farebox/testing';
import { openTokenCounter, UncountedError, type CountResult, type TokenCounter } from './token-counter';

const LIMITS = { mostFree: 8, mostFreeOfAccount: 4, paidTimeoutMs: 120_000 };
/** More time than a busy machine needs. */
const PATIENT = { tokenizer: 'o200k_base' as const, timeoutMs: 60_000 };

let counter: TokenCounter;
let results: CountResult[];
beforeEach(() => {
  results = [];
  counter = openTokenCounter({
    ...LIMITS,
    onCount: (result) => results.push(result),
    onError: (error) => {
      // On a machine that is stalled, its count is late all the same.
      if (!(error instanceof Error && error.name === 'AbortError')) throw error;
    },
  });
});
afterEach(() => counter.close());

/** The same texts in every run, because the token count, whole and in slices, depends on the text. */
let state = 1;
function below(count: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * count);
}
const randomText = (length: number, first: number, count: number): string =>
  Array.from({ length }, () => String.fromCharCode(first + below(count))).join('');
const letters = (length: number): string => randomText(length, 97, 26);
const cjk = (length: number): string => randomText(length, 0x4e00, 20_000);

it('counts like the tokenizer', async () => {
  const texts = [
    'The quick brown fox jumps over the lazy dog. '.repeat(2_000),
    '',
    '<|endoftext|>',
    'naïve 日本語 🦊',
  ];
  const expected = texts.reduce(
    (sum, text) => sum + countTokens(text, { disallowedSpecial: new Set<string>() }),
    0,
  );
  expect(await counter.countFree(texts, { ...PATIENT, accountId: 'a' })).toEqual({
    least: expected,
    most: expected,
  });
  expect(results).toEqual(['counted']);
});

it('counts a text without a space in slices, which come within two in a hundred of the whole', async () => {
  const text = letters(5_000);
  const { least: tokens } = await counter.countFree([text], { ...PATIENT, accountId: 'a' });
  const whole = countTokens(text);
  // Usually slightly more. A tokenizer merges greedily, so a cut in the right place can also save a token.
  expect(Math.abs(tokens - whole)).toBeLessThan(whole * 0.02);
});

it('knows frequent words of a prepared tokenizer, each of which is one token', async () => {
  expect(counter.wordsOf('o200k_base').size).toBe(0);
  counter.prepare(['o200k_base']);
  await waitUntil(() => counter.wordsOf('o200k_base').size > 0, 'the words are known');
  const words = [...counter.wordsOf('o200k_base')];
  expect(words).toEqual(expect.arrayContaining([' the', ' The', ' answer']));
  expect(words.filter((word) => countTokens(word) !== 1)).toEqual([]);
});

it('lets timers and other work run all the while', async () => {
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  // With these texts one key could block the event loop of all others for 33 seconds.
  const texts = Array.from({ length: 31 }, () => letters(13_000));
  const { least: tokens } = await counter.countFree([...texts, cjk(100_000)], { ...PATIENT, accountId: 'a' });
  clearInterval(timer);
  expect(tokens).toBeGreaterThan(250_000);
  expect(turns).toBeGreaterThan(50);
});

it('sends its thread few messages, however long a text is', async () => {
  const sent = jest.spyOn(MessagePort.prototype, 'postMessage');
  await counter.countFree(['word '.repeat(400_000)], { ...PATIENT, accountId: 'a' });
  // 2 MB are 123 pieces. A turn ends by the clock: a busy machine counts fewer of them in one, about three.
  expect(sent.mock.calls.length).toBeLessThan(80);
  sent.mockRestore();
});

it('returns bounds for texts that it did not reach in time', async () => {
  // Its thread has its tables, so only the count is late.
  await counter.countFree(['hello'], { ...PATIENT, accountId: 'a' });
  const texts = [cjk(2_000_000)];
  const count = await counter.countFree(texts, { ...PATIENT, accountId: 'a', timeoutMs: 100 });
  expect(count.least).toBeGreaterThanOrEqual(6_000_000 / 128);
  expect(count.most).toBeLessThanOrEqual(6_000_000);
  expect(count.most).toBeGreaterThan(count.least);
  expect(results).toEqual(['counted', 'late']);
});

it('serves accounts in turn, however much one of them asks for', async () => {
  const ended: string[] = [];
  const counted = async (accountId: string, text: string): Promise<void> => {
    await counter.countFree([text], { ...PATIENT, accountId });
    ended.push(accountId);
  };
  const flood = Array.from({ length: LIMITS.mostFreeOfAccount }, () => counted('flood', cjk(100_000)));
  await counted('neighbour', 'hello');
  await counted('neighbour', 'hello again');
  expect(ended).toEqual(['neighbour', 'neighbour']);
  await Promise.all(flood);
});

it('accepts no more free counts of one account, and of all, than its limits', async () => {
  const floodOf = (accountId: string) =>
    Array.from({ length: 5 }, () => counter.countFree(['hello'], { ...PATIENT, accountId }));
  const counts = await Promise.all([...floodOf('a'), ...floodOf('b'), ...floodOf('c')]);
  const crowded = counts.filter(({ most }) => most === 5);
  expect(crowded).toHaveLength(2 * 1 + 5);
  expect(results.filter((result) => result === 'crowded')).toHaveLength(7);
  expect(await counter.countFree(['hello'], { ...PATIENT, accountId: 'c' })).toMatchObject({ most: 1 });
});

it('knows that each word of a text that it did not accept is a token', async () => {
  const prose = 'The quick brown fox jumps over the lazy dog. '.repeat(100);
  const count = () => counter.countFree([prose], { ...PATIENT, accountId: 'a' });
  const [counted, ...others] = await Promise.all(Array.from({ length: 5 }, count));
  expect(counted).toMatchObject({ least: 1_001 });
  expect(others.at(-1)).toEqual({ least: 900, most: prose.length });
});

it('accepts counts that its thread made while this process stalled', async () => {
  await counter.countFree(['hello'], { ...PATIENT, accountId: 'a' });
  await endOfTurn();
  const counting = counter.countFree(['hello'], { ...PATIENT, accountId: 'a', timeoutMs: 1_000 });
  // Longer than a count may take: its time is over when this process next checks its timers.
  standStill(3_100);
  expect(await counting).toEqual({ least: 1, most: 1 });
});

describe('a count for a running request', () => {
  const paid = { tokenizer: 'o200k_base' as const, accountId: 'a' };
  const long = cjk(60_000);

  it.each([
    ['its own account', 'a'],
    ['others', 'b'],
  ])('is taken and goes first, however many free counts of %s are under way', async (_whose, accountId) => {
    const ended: string[] = [];
    const note = (name: string) => (): void => void ended.push(name);
    const flood = Array.from({ length: 20 }, () =>
      counter.countFree([long], { ...PATIENT, accountId }).then(note('free')),
    );
    expect(await counter.countPaid(['hello world'], paid).finally(note('paid'))).toBe(2);
    // Counts beyond their account's share do not wait.
    expect(ended.filter((name) => name === 'free')).toHaveLength(20 - LIMITS.mostFreeOfAccount);
    await Promise.all(flood);
  });

  it('is never refused, however many of them are running', async () => {
    const counts = Array.from({ length: 600 }, () => counter.countPaid(['hello world'], paid));
    expect(new Set(await Promise.all(counts))).toEqual(new Set([2]));
    expect(new Set(results)).toEqual(new Set(['counted']));
  });

  it('delays no account but its own', async () => {
    const ended: string[] = [];
    const flood = Array.from({ length: 8 }, () =>
      counter.countPaid([long], paid).then(() => ended.push('a')),
    );
    await counter.countPaid(['hello'], { ...paid, accountId: 'b' });
    await counter.countFree(['hello'], { ...PATIENT, accountId: 'c' });
    expect(ended).toEqual([]);
    await Promise.all(flood);
  });
});

describe('a count for a running request that cannot be finished', () => {
  const paid = { tokenizer: 'o200k_base' as const, accountId: 'a' };
  const open = (paidTimeoutMs = 60_000): TokenCounter => {
    const worker = path.join(__dirname, '../../test/failing-count.js');
    const failing = openTokenCounter({
      ...{ ...LIMITS, paidTimeoutMs, worker },
      onCount: (result) => results.push(result),
      onError: () => undefined,
    });
    opened.push(failing);
    return failing;
  };
  const opened: TokenCounter[] = [];
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((failing) => failing.close()));
  });
  /** Fewer than a hundred are certain, because it has no spaces. */
  const TEXT = 'x'.repeat(10_000);

  it('throws, with a fair estimate that is not the minimum, once it is out of time', async () => {
    const counting = open(50).countPaid([`slow ${TEXT}`], paid);
    await expect(counting).rejects.toBeInstanceOf(UncountedError);
    await expect(counting).rejects.toMatchObject({ estimate: 2_502 });
    expect(results).toEqual(['late']);
  });

  it('is retried on another thread', async () => {
    const marker = path.join(mkdtempSync(path.join(tmpdir(), 'failing-count-')), 'failed');
    expect(await open().countPaid([`once ${marker}`], paid)).toBe(1);
    expect(results).toEqual(['counted']);
  });

  it('throws if no thread survives it, and no other count is affected', async () => {
    const failing = open();
    const [poison, other] = await Promise.allSettled([
      failing.countPaid([`exit ${TEXT}`], paid),
      failing.countPaid(['hello'], { ...paid, accountId: 'b' }),
    ]);
    expect(poison).toMatchObject({ reason: { name: 'UncountedError', estimate: 2_502 } });
    expect(other).toEqual({ status: 'fulfilled', value: 1 });
  });

  it('throws at once when the counter is closed, and afterwards', async () => {
    const failing = open();
    const counting = failing.countPaid([`slow ${TEXT}`], paid);
    const waiting = failing.countPaid([TEXT], paid);
    void failing.close();
    for (const ended of [counting, waiting, failing.countPaid([TEXT], paid)])
      await expect(ended).rejects.toMatchObject({ name: 'UncountedError' });
  });
});

it('has no tokens for no text', async () => {
  expect(await counter.countFree([], { ...PATIENT, accountId: 'a' })).toEqual({ least: 0, most: 0 });
});

it('loads the tables of all tokenizers in its thread before that lowers its priority', async () => {
  const script = `
    const { readFileSync } = require('node:fs');
    const os = require('node:os');
    const { parentPort, workerData } = require('node:worker_threads');
    const priority = () => Number(readFileSync('/proc/thread-self/stat', 'utf8').split(') ').pop().split(' ')[16]);
    const { setPriority } = os;
    let loaded;
    os.setPriority = (...args) => {
      loaded = Object.keys(require.cache).flatMap((file) => /bpeRanks.(\\w+)\\.\\w+$/.exec(file)?.[1] ?? []);
      setPriority(...args);
    };
    const { prepare } = require(workerData);
    const before = priority();
    prepare({ tokenizers: ['o200k_base', 'cl100k_base'] });
    parentPort.postMessage({ loaded, before, after: priority() });`;
  const thread = new Worker(script, { eval: true, workerData: path.join(__dirname, 'count-tokens.js') });
  const [seen] = (await once(thread, 'message')) as unknown[];
  expect(seen).toEqual({
    loaded: ['o200k_base', 'cl100k_base'],
    before: getPriority(),
    after: constants.priority.PRIORITY_BELOW_NORMAL,
  });
});
