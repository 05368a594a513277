import { createHash } from 'node:crypto';
import type { NanoUsd } from '@farebox/money';
import { anAdmission, aUsage, openLedgerHarness, type LedgerHarness } from '../test/ledger-harness';
import { readBalance } from './account-funds';
import { findReview, listReviews, openReview, resolveReview, type Resolution } from './reviews';

let harness: LedgerHarness;
beforeAll(async () => {
  harness = await openLedgerHarness();
});
afterAll(async () => {
  await harness.close();
});

const FINGERPRINT = createHash('sha256').digest();

/** A request whose charge of `measuredNano` could not be recorded. */
async function aFailedCharge(measuredNano: bigint) {
  const customer = await harness.givenCustomer(1_000n);
  const request = () => anAdmission(customer, 100n, { idempotency: { key: 'k', fingerprint: FINGERPRINT } });
  const admission = request();
  expect(await harness.ledger.admit(admission)).toEqual({ outcome: 'admitted' });
  const { holdId, accountId } = admission;
  const failed = { holdId, accountId, usage: aUsage(measuredNano, { streamed: true }) };
  expect(await openReview(harness.db.servicePool, failed)).toBe(true);
  const resolve = (resolution: Resolution) =>
    resolveReview(harness.db.pool, holdId, {
      resolution,
      resolvedBy: 'ada',
      note: 'called the customer',
    });
  const askAgain = async () => (await harness.ledger.admit(request())).outcome;
  return { ...failed, resolve, askAgain };
}

describe('a charge that could not be recorded', () => {
  it('keeps its route, and the cost of that', async () => {
    const admission = anAdmission(await harness.givenCustomer(1_000n), 100n);
    await harness.ledger.admit(admission);
    const { holdId, accountId } = admission;
    const route = { upstreamId: 'near', upstreamModel: 'org/m "1"', costNano: 7n as NanoUsd };
    const usage = aUsage(30n, { route });
    expect(await openReview(harness.db.servicePool, { holdId, accountId, usage })).toBe(true);
    const { rows } = await harness.db.pool.query('SELECT * FROM usage_route WHERE id = $1', [holdId]);
    expect(rows).toEqual([{ id: holdId, upstream_id: 'near', upstream_model: 'org/m "1"', cost_nano: '7' }]);
  });

  it('becomes one review: the measured amount stays reserved, the rest is released', async () => {
    const { holdId, accountId, usage } = await aFailedCharge(30n);
    expect(await readBalance(harness.db.pool, accountId)).toEqual({
      balanceNano: 1_000n,
      heldNano: 30n,
      availableNano: 970n,
    });
    expect(await openReview(harness.db.servicePool, { holdId, accountId, usage })).toBe(false);
    expect(await harness.ledger.settle({ holdId, accountId, usage })).toBe('not_held');
    expect(await findReview(harness.db.pool, holdId)).toMatchObject({
      reason: 'charge_failed',
      state: 'open',
      heldNano: 100n,
      reservedNano: 30n,
      measuredCostNano: 30n,
      streamed: true,
      resolvedBy: null,
    });
    expect(
      (await listReviews(harness.db.pool, { limit: 10, accountId, state: 'open' })).map(({ id }) => id),
    ).toEqual([holdId]);
  });

  it('reserves no more than its hold', async () => {
    const { accountId } = await aFailedCharge(140n);
    expect((await readBalance(harness.db.pool, accountId)).heldNano).toBe(100n);
  });

  it('is charged by an operator once, and its answer stays withheld', async () => {
    const { holdId, accountId, resolve, askAgain } = await aFailedCharge(30n);
    expect(await askAgain()).toBe('answer_withheld');
    const answers = await Promise.all([resolve('charge'), resolve('charge'), resolve('charge')]);
    expect(answers.sort()).toEqual(['resolved', 'resolved_before', 'resolved_before']);
    expect(await resolve('waive')).toBe('resolved_before');
    expect(await readBalance(harness.db.pool, accountId)).toMatchObject({ balanceNano: 970n, heldNano: 0n });
    expect(await askAgain()).toBe('answer_withheld');
    expect(await findReview(harness.db.pool, holdId)).toMatchObject({
      state: 'charged',
      resolvedBy: 'ada',
      note: 'called the customer',
    });
  });

  it('is waived by an operator: nothing is charged, and its key may be used again', async () => {
    const { accountId, resolve, askAgain } = await aFailedCharge(30n);
    expect(await resolve('waive')).toBe('resolved');
    expect(await readBalance(harness.db.pool, accountId)).toMatchObject({
      balanceNano: 1_000n,
      heldNano: 0n,
    });
    expect(await askAgain()).toBe('admitted');
  });
});

describe('numbers that the columns do not accept', () => {
  const absurd = {
    promptTokens: 9e15,
    completionTokens: 4_294_967_295,
    cachedTokens: Infinity,
    cacheWriteTokens: -5,
    reasoningTokens: NaN,
    images: 9e15,
    latencyMs: -1,
    firstTokenMs: 0.5,
  };
  const widest = {
    ...{ promptTokens: 2_147_483_647, completionTokens: 2_147_483_647 },
    ...{ cachedTokens: 2_147_483_647, cacheWriteTokens: 0, reasoningTokens: 0 },
  };

  it('become a review with the largest values that they accept', async () => {
    const admission = anAdmission(await harness.givenCustomer(1_000n), 100n);
    await harness.ledger.admit(admission);
    const { holdId, accountId } = admission;
    const usage = { ...aUsage(1n, absurd), measuredCostNano: (2n ** 70n) as NanoUsd };
    expect(await openReview(harness.db.servicePool, { holdId, accountId, usage })).toBe(true);
    expect(await findReview(harness.db.pool, holdId)).toMatchObject({ ...widest, reservedNano: 100n });
  });

  it('are charged all the same, at most at the hold', async () => {
    const admission = anAdmission(await harness.givenCustomer(1_000n), 100n);
    await harness.ledger.admit(admission);
    const { holdId, accountId } = admission;
    const usage = { ...aUsage(1n, absurd), measuredCostNano: (2n ** 70n) as NanoUsd };
    expect(await harness.ledger.settle({ holdId, accountId, usage })).toBe('resolved');
    expect((await readBalance(harness.db.pool, accountId)).balanceNano).toBe(900n);
  });
});

describe('a review that reserves nothing', () => {
  it('counts repetitions for its account, model and day, until it is resolved', async () => {
    const customer = await harness.givenCustomer(10_000n);
    const over = async (more = {}): Promise<string> => {
      const admission = anAdmission(customer, 50n, more);
      const { holdId, accountId, requestId } = admission;
      await harness.ledger.admit(admission);
      await harness.ledger.settle({ holdId, accountId, usage: aUsage(60n) });
      return requestId;
    };
    const reviews = () => listReviews(harness.db.pool, { limit: 10, accountId: customer.accountId });
    for (let i = 0; i < 4; i++) await over();
    const lastRequestId = await over({ requestId: 'the last one' });
    await over({ modelId: 'another' });
    const counted = { reason: 'usage_over_hold', heldNano: 250n, measuredCostNano: 300n, reservedNano: 0n };
    expect(await reviews()).toMatchObject([
      { modelId: 'another', requestCount: 1, lastRequestId: null },
      { modelId: 'small', requestCount: 5, lastRequestId, ...counted },
    ]);
    const [, first] = await reviews();
    await resolveReview(harness.db.pool, first?.id ?? '', { resolution: 'waive', resolvedBy: 'ada' });
    await over();
    expect((await reviews()).map(({ requestCount }) => requestCount)).toEqual([1, 1, 5]);
  });

  it('counts impossible usage separately, once it is charged', async () => {
    const customer = await harness.givenCustomer(10_000n);
    for (let i = 0; i < 3; i++) {
      const admission = anAdmission(customer, 50n);
      const { holdId, accountId } = admission;
      await harness.ledger.admit(admission);
      await harness.ledger.settle({ holdId, accountId, usage: aUsage(10n, { isReportImplausible: true }) });
    }
    const reviews = () => listReviews(harness.db.pool, { limit: 10, accountId: customer.accountId });
    while ((await reviews())[0]?.requestCount !== 3) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await reviews()).toMatchObject([{ reason: 'usage_implausible', heldNano: 30n, reservedNano: 0n }]);
  });

  it('can only be waived, which closes it', async () => {
    const customer = await harness.givenCustomer(1_000n);
    const admission = anAdmission(customer, 50n);
    const { holdId, accountId } = admission;
    await harness.ledger.admit(admission);
    await harness.ledger.settle({ holdId, accountId, usage: aUsage(60n) });
    const resolve = (resolution: Resolution) =>
      resolveReview(harness.db.pool, holdId, { resolution, resolvedBy: 'ada' });
    expect([await resolve('charge'), await resolve('waive'), await resolve('waive')]).toEqual([
      'nothing_reserved',
      'resolved',
      'resolved_before',
    ]);
    expect((await readBalance(harness.db.pool, accountId)).balanceNano).toBe(950n);
  });
});

it('an unknown review is reported as such', async () => {
  const { holdId } = anAdmission({ accountId: '', apiKeyId: '' }, 1n);
  expect(await resolveReview(harness.db.pool, holdId, { resolution: 'waive', resolvedBy: 'ada' })).toBe(
    'no_such_review',
  );
});
