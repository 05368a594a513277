import type { Socket } from 'node:net';
import {
  refuse,
  sayOk,
  startRoutesHarness,
  type RouteAnswer,
  type RoutesHarness,
} from '../../test/routes-harness';

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
      id: 'costly',
      routes: [
        { upstream: 'a', model: 'down', cost: { input_price: '9', output_price: '9' } },
        {
          upstream: 'b',
          model: 'up',
          cost: {
            input_price: '0.5',
            output_price: '1',
            cached_input_price: '0.1',
            request_price: '0.000001',
          },
        },
      ],
    },
    ...['whole', 'streamed', 'always'].map((id) => ({ id, routes: [{ upstream: 'a', model: id }] })),
    { id: 'of-no-cost', routes: [{ upstream: 'a', model: 'free' }] },
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

it('routes of one priority share the requests, and later ones get none while these answer', async () => {
  const { secret } = await harness.givenKey();
  // One of the two gets none of these conversations by chance once in 2^39 runs.
  for (let sent = 0; sent < 40; sent++) {
    const messages = [{ role: 'user', content: `Question ${String(sent)}` }];
    expect((await harness.complete(secret, 'weighted', { messages })).status).toBe(200);
  }
  expect([...new Set(harness.asked())].sort()).toEqual(['a/even', 'b/even']);
});

it.each([false, true])('a request tries each route once, by priority (streamed: %s)', async (stream) => {
  for (const upstream of ['a', 'b']) harness.answer(`${upstream}/fails`, refuse(503));
  const { secret } = await harness.givenKey();
  const response = await harness.complete(secret, 'failing', { stream });
  expect([response.status, (await response.text()).includes('ok')]).toEqual([200, true]);
  const asked = harness.asked();
  expect([asked.slice(0, 2).sort(), asked[2]]).toEqual([['a/fails', 'b/fails'], 'c/spare']);
});

describe('a server that closes an idle connection just when the next request comes', () => {
  /** Each connection carries one answer. */
  function closesUsedConnections(): RouteAnswer {
    const used = new WeakSet<Socket>();
    return (res, asked, req) => {
      if (used.has(req.socket)) {
        req.socket.destroy();
        return;
      }
      used.add(req.socket);
      sayOk(res, asked, req);
    };
  }

  it.each([
    ['whole', false, 'Hello'],
    ['streamed', true, 'Hello'],
    ['whole', false, 'A long prompt. '.repeat(500)],
  ])('gets the request again, and the customer their answer (%s)', async (model, stream, content) => {
    harness.answer(`a/${model}`, closesUsedConnections());
    const { secret } = await harness.givenKey();
    const messages = [{ role: 'user', content }];
    for (const sent of [1, 2, 3]) {
      const response = await harness.complete(secret, model, { stream, messages });
      expect([sent, response.status, (await response.text()).includes('ok')]).toEqual([sent, 200, true]);
    }
    expect(harness.asked().length).toBeGreaterThan(3);
  });

  it('gets it only once again: a request may make a server close its connection', async () => {
    const { secret } = await harness.givenKey();
    await (await harness.complete(secret, 'always')).text();
    harness.asked();
    harness.answer('a/always', (_res, _asked, { socket }) => socket.destroy());
    expect((await harness.complete(secret, 'always')).status).toBe(503);
    expect(harness.asked()).toEqual(['a/always', 'a/always']);
  });
});

describe('the route that answered', () => {
  const routeOf = async (accountId: string): Promise<unknown[]> => {
    const { rows } = await harness.db.pool.query<object>(
      `SELECT r.upstream_id AS upstream, r.upstream_model AS model, r.cost_nano AS cost, u.cost_nano AS charged
       FROM usage_record u LEFT JOIN usage_route r ON r.id = u.id WHERE u.account_id = $1`,
      [accountId],
    );
    return rows;
  };

  it.each([false, true])('is recorded with its cost, after a failover too (streamed: %s)', async (stream) => {
    harness.answer('a/down', refuse(503));
    const { secret, accountId } = await harness.givenKey();
    const response = await harness.complete(secret, 'costly', { stream });
    expect(JSON.stringify([...response.headers]) + (await response.text())).not.toContain('upstream');
    // 10 prompt tokens at $0.50 per million, 2 output tokens at $1 per million, and a millionth of a dollar.
    expect(await routeOf(accountId)).toEqual([
      { upstream: 'b', model: 'up', cost: '8000', charged: '14000' },
    ]);
  });

  it('is recorded if the route has no cost', async () => {
    const { secret, accountId } = await harness.givenKey();
    await (await harness.complete(secret, 'of-no-cost')).text();
    expect(await routeOf(accountId)).toEqual([
      { upstream: 'a', model: 'free', cost: null, charged: '14000' },
    ]);
  });
});
