import type { Books } from '../audit/evidence';
import { isBillingError } from '../../test/chat-client';
import {
  bothEnded,
  countEnds,
  expectAllAccountedFor,
  expectEventually,
  runHundredRequests,
  type SentRequest,
  type OutageHarness,
} from '../../test/outage-requests';
import {
  countChargesDone,
  countChargesLeft,
  deliverAgainTwice,
  outlastLocks,
} from '../../test/charges-queue';
import { findWaiting, lockFunds, readMoneyRows } from '../../test/outage-database';
import { expireLeases, startOutageHarness } from '../../test/outage-harness';

const REQUEST_LIMIT = 20;
/** The gateway still has its holds after a long outage of the database. */
const LEASE_MS = 120_000;

let harness: OutageHarness;
beforeAll(async () => {
  const limited = { FAREBOX_RATE_LIMIT_REQUESTS: String(REQUEST_LIMIT), FAREBOX_RATE_LIMIT_WINDOW: '1h' };
  harness = await startOutageHarness({ leaseMs: LEASE_MS, tokensPerSecond: 2, gatewayEnv: () => limited });
});
afterEach(async () => {
  await harness.heal();
});
afterAll(async () => {
  await harness.close();
});

/** The records of those requests among a hundred whose client got a failed charge. */
function reviewsOfFailed(sent: readonly SentRequest[], { reviews }: Books) {
  const failed = sent.filter(({ attempt }) => isBillingError(attempt.result));
  return failed.flatMap(({ attempt }) =>
    reviews.filter(({ requestId }) => requestId === attempt.requestId).map((review) => ({ attempt, review })),
  );
}

describe('each of a hundred running requests is charged once, in review, or free', () => {
  it('if PostgreSQL stops during them and comes back', async () => {
    const { database, redis, requests, log } = harness;
    const sent = await runHundredRequests(harness);
    await database.stop();
    const refused = [0, 1].map((gateway) => requests.send({ gateway }));
    for (const { ended } of refused)
      expect(await ended).toEqual({ kind: 'refused', status: 503, code: 'service_unavailable' });
    await expectEventually('charges fail of both kinds', () => bothEnded(sent, 'billing_error'));
    await database.start();

    const books = await expectAllAccountedFor(harness);
    expect(bothEnded(sent, 'answered')).toBe(true);
    expect(countEnds(sent)).toEqual({
      answered: expect.any(Number) as number,
      billing_error: expect.any(Number) as number,
      hung_up: 20,
    });
    const reviewed = reviewsOfFailed(sent, books);
    expect(reviewed.map(({ review }) => review.reason)).toEqual(reviewed.map(() => 'charge_failed'));
    expect(log.of('charge_handed_over').length).toBeGreaterThanOrEqual(reviewed.length);
    expect(await countChargesDone(redis.url)).toBe(log.of('charge_handed_over').length);
    expect(log.of('charge_unrecorded')).toEqual([]);
  });

  it('if Redis stops during them: none fails, and each process enforces the limit', async () => {
    const { redis, requests } = harness;
    const sent = await runHundredRequests(harness, { maxTokens: 30, pauses: ['pause-10000'] });
    const [customer] = await harness.addCustomers(1);
    if (!customer) throw new Error('no customer');
    const known = requests.send({ customer });
    await known.ended;
    expect(known.headers).toHaveProperty('x-ratelimit-remaining-requests');

    await redis.kill();
    const [stranger] = await harness.addCustomers(1);
    if (!stranger) throw new Error('no customer');
    for (const gateway of harness.gateways.keys()) {
      const within = Array.from({ length: REQUEST_LIMIT }, () =>
        requests.send({ gateway, customer: stranger }),
      );
      expect(await Promise.all(within.map(({ ended }) => ended))).toEqual(
        within.map(() => expect.objectContaining({ kind: 'answered' }) as unknown),
      );
      for (const { headers } of within) expect(headers).not.toHaveProperty('x-ratelimit-limit-requests');
      const over = requests.send({ gateway, customer: stranger });
      expect(await over.ended).toEqual({ kind: 'refused', status: 429, code: 'rate_limit_error' });
    }
    await Promise.all(sent.map(({ ended }) => ended));
    await redis.restart();
    await expectAllAccountedFor(harness);
    expect(countEnds(sent)).toEqual({ answered: 80, hung_up: 20 });
  });

  it('if PostgreSQL and Redis stop during them: their usage is logged, and kept while a gateway runs', async () => {
    const { database, redis, gateways, worker, log } = harness;
    const sent = await runHundredRequests(harness);
    // Redis first: otherwise a failed charge would be handed over to it, and lost with it.
    await redis.kill();
    await database.stop();
    await expectEventually('charges fail of both kinds', () => bothEnded(sent, 'billing_error'));
    // A log line is written shortly after the customer's answer, so a kill loses the last ones.
    const result = sent.flatMap(({ attempt }) => (isBillingError(attempt.result) ? [attempt.requestId] : []));
    const lineOf = (requestId: string | undefined) =>
      log.of('charge_unrecorded').find(({ request_id }) => request_id === requestId);
    await expectEventually('their results are logged', () => result.every(lineOf));
    await gateways[1]?.kill();
    await database.start();
    await Promise.all(sent.map(({ ended }) => ended));
    const ofLost = sent.flatMap(({ attempt }) => (attempt.gateway === 1 ? [attempt.requestId] : []));
    await expectEventually('the gateway that lives has made its reviews', async () => {
      const { rowCount } = await database.pool.query('SELECT 1 FROM hold WHERE request_id <> ALL ($1)', [
        ofLost,
      ]);
      return rowCount === 0;
    });
    await expireLeases(database.pool, ofLost);
    await redis.restart();
    await Promise.all([gateways[1]?.start(), worker.killAndStart()]);

    const books = await expectAllAccountedFor(harness);
    const reviewed = reviewsOfFailed(sent, books);
    expect(reviewed.map(({ review }) => review.reason)).toContain('charge_failed');
    for (const { attempt, review } of reviewed) {
      const line = lineOf(attempt.requestId);
      if (attempt.gateway !== 1 || result.includes(attempt.requestId))
        expect(line).toMatchObject({ outcome: 'completed', stream: attempt.request.streamed });
      if (attempt.gateway === 1) expect(review.reason).toBe('gateway_lost');
      else
        expect(line).toMatchObject({
          amount_nano: String(review.measuredNano),
          prompt_tokens: review.promptTokens,
          completion_tokens: review.completionTokens,
        });
    }
  });

  it('if PostgreSQL stops during them and the worker is killed while it creates reviews', async () => {
    const { database, redis, worker } = harness;
    const sent = await runHundredRequests(harness);
    await Promise.all([database.stop(), worker.kill()]);
    await expectEventually('charges fail of both kinds', () => bothEnded(sent, 'billing_error'));
    await database.start();
    const lock = await lockFunds(database);
    await worker.start();
    const waiting = () => findWaiting(database.pool, 'farebox-worker');
    await expectEventually('the worker is about to make reviews', async () => (await waiting()).length > 1);
    await worker.kill();
    // One part of its work is rolled back, and the rest completes without it.
    await database.pool.query('SELECT pg_terminate_backend($1)', [(await waiting())[0]]);
    await lock.end();
    expect(await outlastLocks(redis.url)).toBeGreaterThan(0);
    expect(await countChargesLeft(redis.url)).toBeGreaterThan(0);
    await worker.start();

    const books = await expectAllAccountedFor(harness);
    expect(reviewsOfFailed(sent, books).length).toBeGreaterThan(0);
    const rows = await readMoneyRows(database.pool);
    expect(await deliverAgainTwice(redis.url)).toBeGreaterThan(0);
    await expectEventually('all was done again', async () => (await countChargesLeft(redis.url)) === 0);
    expect(await readMoneyRows(database.pool)).toEqual(rows);
  });
});
