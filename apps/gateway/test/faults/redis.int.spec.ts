import { waitUntil } from '@farebox/testing';
import { type GatewayHarness } from '../gateway-harness';
import {
  askLimited,
  limiterLog,
  REQUEST_LIMIT,
  startLimitedGateway,
  startOwnRedis,
  type OwnRedis,
} from './redis-faults';
import type { Customer } from './fault-request';
import { logOf, outcomeOf } from './request-outcome';

let redis: OwnRedis;
let harness: GatewayHarness;
beforeAll(async () => {
  redis = await startOwnRedis();
});
afterEach(async () => {
  await harness.expectSettled();
  await harness.close();
});
afterAll(async () => {
  await redis.close();
});

interface Row {
  /** The behaviour of Redis. */
  how: string;
  fault: (redis: OwnRedis) => unknown;
  heal: (redis: OwnRedis) => unknown;
  /** The expected log event. Default: `limiter_degraded`. */
  says?: string;
  /** It has lost its data, so no limit is shown for another window. */
  hasForgotten?: boolean;
  /** It works otherwise: a stalled machine must not make a gateway count by itself. */
  isWell?: boolean;
}

const HASTY_MS = 400;
const PATIENT_MS = 10_000;

const proxyHeals = ({ proxy }: OwnRedis): Promise<void> => proxy.heal();

const ROWS: Row[] = [
  {
    how: 'dies',
    fault: ({ server }) => server.kill(),
    heal: ({ server }) => server.restart(),
    hasForgotten: true,
  },
  { how: 'is stopped', fault: ({ server }) => server.pause(), heal: ({ server }) => server.resume() },
  {
    how: 'is out of memory',
    fault: async ({ client }) => {
      await client.config('SET', 'maxmemory-policy', 'noeviction');
      await client.config('SET', 'maxmemory', '1mb');
    },
    heal: ({ client }) => client.config('SET', 'maxmemory', '0'),
  },
  {
    how: 'is flushed',
    fault: ({ client }) => client.flushall(),
    heal: () => undefined,
    says: 'limiter_memory_lost',
    hasForgotten: true,
    isWell: true,
  },
  {
    how: 'is slow',
    fault: ({ proxy }) => proxy.toClient.set({ kind: 'delay', delayMs: 400 }),
    heal: proxyHeals,
  },
  {
    how: 'is behind a black hole',
    fault: ({ proxy }) => proxy.toClient.set({ kind: 'drop' }),
    heal: proxyHeals,
  },
  {
    how: 'is no longer reachable',
    fault: ({ proxy }) => {
      proxy.stopAccepting();
      proxy.reset();
    },
    heal: proxyHeals,
  },
];

const charge = { tokens: 8, outcome: 'completed', estimated: false };

/** Requests are served and charged as usual, and no limit is shown. */
async function expectAsEver(): Promise<void> {
  for (const stream of [false, true]) {
    const customer = await harness.givenKey();
    const { id, answer, remaining } = await askLimited(harness, { customer, stream });
    expect({ answer, remaining, ...(await outcomeOf(harness, { id, ...customer })) }).toEqual({
      answer: stream ? { status: 200, events: 8, end: 'whole' } : { status: 200, tokens: 8 },
      remaining: null,
      charge,
      log: ['request_completed 200'],
    });
  }
}

/** A key with earlier requests gets the rest of its limit from this process, and no more. */
async function expectLimited(customer: Customer, made: number): Promise<void> {
  for (let count = made; count < REQUEST_LIMIT; count++) {
    const { answer, remaining } = await askLimited(harness, { customer });
    expect({ answer, remaining }).toEqual({ answer: { status: 200, tokens: 8 }, remaining: null });
  }
  const refused = await askLimited(harness, { customer });
  expect(refused).toMatchObject({
    answer: { status: 429, code: 'rate_limit_error', retryAfter: expect.stringMatching(/^\d+$/) as string },
    remaining: null,
  });
  expect(logOf(harness, refused)).toEqual(['request_completed 429 request_limit']);
  const sql = 'SELECT 1 FROM usage_record WHERE account_id = $1';
  expect((await harness.db.pool.query(sql, [customer.accountId])).rowCount).toBe(REQUEST_LIMIT);
}

/** Asks until the log says that the limit is held in Redis again. */
async function askUntilRestored(): Promise<void> {
  await waitUntil(async () => {
    await askLimited(harness, {});
    return limiterLog(harness).includes('limiter_restored');
  }, 'Redis is asked again');
}

/** Asks as new customers until one of them sees the limit: a busy machine may be late. */
async function askUntilLimited(): Promise<Customer> {
  let customer = await harness.givenKey();
  while ((await askLimited(harness, { customer })).remaining !== String(REQUEST_LIMIT - 1)) {
    customer = await harness.givenKey();
  }
  return customer;
}

describe('if Redis', () => {
  it.each(ROWS)(
    '$how, nothing is refused that would not be otherwise',
    async ({ fault, heal, says = 'limiter_degraded', hasForgotten, isWell }) => {
      await redis.renew();
      harness = await startLimitedGateway(redis, isWell ? PATIENT_MS : HASTY_MS);
      const customer = await askUntilLimited();
      const logged = limiterLog(harness).length;

      await fault(redis);
      await expectAsEver();
      await expectLimited(customer, 1);
      expect(limiterLog(harness).slice(logged)).toEqual([says]);

      await heal(redis);
      if (says === 'limiter_degraded') await askUntilRestored();
      if (hasForgotten) expect((await askLimited(harness, {})).remaining).toBeNull();
      else await askUntilLimited();
    },
  );

  it('is down when the gateway starts, requests are served too', async () => {
    await redis.renew();
    redis.proxy.stopAccepting();
    harness = await startLimitedGateway(redis, HASTY_MS);
    await expectAsEver();
    await expectLimited(await harness.givenKey(), 0);
    expect(limiterLog(harness)).toEqual(['limiter_degraded']);

    await redis.proxy.acceptAgain();
    await askUntilRestored();
    await askUntilLimited();
  });
});
