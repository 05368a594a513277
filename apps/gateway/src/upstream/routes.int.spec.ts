import { refuse, startRoutesHarness, type RoutesHarness } from '../../test/routes-harness';

let harness: RoutesHarness;
beforeAll(async () => {
  harness = await startRoutesHarness([
    {
      id: 'weighted',
      routes: [
        { upstream: 'c', model: 'last', priority: '1' },
        { upstream: 'a', model: 'even' },
        { upstream: 'b', model: 'even' },
      ],
    },
    {
      id: 'failing',
      routes: [
        { upstream: 'c', model: 'spare', priority: '1' },
        { upstream: 'a', model: 'fails', weight: '2' },
        { upstream: 'b', model: 'fails' },
      ],
    },
  ]);
});
beforeEach(() => {
  harness.asked();
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
});

it('routes of one priority share the requests, and those of a later one get none while these answer', async () => {
  const { secret } = await harness.givenKey();
  // By chance alone one of the two gets none of them once in 2^39 runs.
  for (let sent = 0; sent < 40; sent++) expect((await harness.complete(secret, 'weighted')).status).toBe(200);
  expect([...new Set(harness.asked())].sort()).toEqual(['a/even', 'b/even']);
});

it.each([false, true])('a request asks each route once, by priority (streamed: %s)', async (stream) => {
  for (const upstream of ['a', 'b']) harness.answer(`${upstream}/fails`, refuse(503));
  const { secret } = await harness.givenKey();
  const response = await harness.complete(secret, 'failing', { stream });
  expect([response.status, (await response.text()).includes('ok')]).toEqual([200, true]);
  const asked = harness.asked();
  expect([asked.slice(0, 2).sort(), asked[2]]).toEqual([['a/fails', 'b/fails'], 'c/spare']);
});
