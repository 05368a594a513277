import { refuse, sayOk, startRoutesHarness, type RoutesHarness } from '../routes-harness';

/** An upstream that says when it wants to be asked again. */

const CASES = [
  'seconds',
  'milliseconds',
  'date',
  'overloaded',
  'tokens',
  'streamed',
  'hostile',
  'nobody-left',
  'of-all',
];
const named = (name: string, upstreams: string[]): object => ({
  id: name,
  routes: upstreams.map((upstream) => ({ upstream, model: name })),
});

let harness: RoutesHarness;
beforeAll(async () => {
  harness = await startRoutesHarness([...CASES.map((name) => named(name, ['a', 'b'])), named('only', ['a'])]);
});
beforeEach(() => {
  harness.asked();
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
});

const inSeconds = (seconds: number): string => new Date(Date.now() + seconds * 1_000).toUTCString();

it.each<[string, number, () => Record<string, string>, boolean]>([
  ['seconds', 429, () => ({ 'retry-after': '55' }), false],
  ['milliseconds', 429, () => ({ 'retry-after-ms': '55000' }), false],
  ['date', 429, () => ({ 'retry-after': inSeconds(55), date: inSeconds(0) }), false],
  ['overloaded', 503, () => ({ 'retry-after': '55' }), false],
  ['tokens', 429, () => ({ 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '55s' }), false],
  ['streamed', 429, () => ({ 'retry-after': '55' }), true],
])('in %s, with status %s, is not asked before that, and others are', async (model, status, said, stream) => {
  const { secret } = await harness.givenKey();
  harness.answer(`a/${model}`, (...request) => {
    refuse(status, said())(...request);
  });
  const asked = [];
  for (let sent = 0; sent < 3; sent++) {
    const response = await harness.complete(secret, model, { stream });
    expect(response.status).toBe(200);
    await response.text();
    asked.push(harness.asked());
  }
  expect(asked).toEqual([[`a/${model}`, `b/${model}`], [`b/${model}`], [`b/${model}`]]);
});

it('that is the only one shows its wait to the customer, and is asked for others', async () => {
  const [first, second] = [await harness.givenKey(), await harness.givenKey()];
  harness.answer('a/only', refuse(429, { 'retry-after': '55' }));
  const response = await harness.complete(first.secret, 'only');
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '55']);
  harness.answer('a/only', sayOk);
  const again = await harness.complete(first.secret, 'only');
  expect([again.status, again.headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^\d\d$/)]);
  expect(harness.asked()).toEqual(['a/only']);
  // The first account may have used up its own share, so the other does not wait.
  expect((await harness.complete(second.secret, 'only')).status).toBe(200);
});

it('is one of several, the earliest of which sets the time to retry', async () => {
  const { secret } = await harness.givenKey();
  harness.answer('a/nobody-left', refuse(429, { 'retry-after': '50' }));
  harness.answer('b/nobody-left', refuse(503, { 'retry-after': '20' }));
  const response = await harness.complete(secret, 'nobody-left');
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '20']);
});

it('for hours is asked again after a minute', async () => {
  const { secret } = await harness.givenKey();
  for (const upstream of ['a', 'b'])
    harness.answer(`${upstream}/hostile`, refuse(429, { 'retry-after': '86400' }));
  const response = await harness.complete(secret, 'hostile');
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '60']);
});

it('is left alone by everybody once three accounts have received it', async () => {
  harness.answer('a/of-all', refuse(429, { 'retry-after': '55' }));
  const asked = [];
  for (let account = 0; account < 5; account++) {
    const { secret } = await harness.givenKey();
    expect((await harness.complete(secret, 'of-all')).status).toBe(200);
    asked.push(harness.asked().length);
  }
  expect(asked).toEqual([2, 2, 2, 1, 1]);
});
