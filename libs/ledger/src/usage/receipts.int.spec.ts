import { createHash } from 'node:crypto';
import { uuidV7 } from '@farebox/auth';
import { givenApiKey } from '@farebox/testing';
import { anAdmission, aUsage, openLedgerHarness, type LedgerHarness } from '../../test/ledger-harness';
import { refundLostResponse } from '../account-funds';
import type { Admission } from '../hold';
import { sweepAbandonedHolds } from '../lease';
import { openReview, resolveReview } from '../reviews';
import { findReceipt, findRequestNamed, type Receipt } from './receipts';
import { insertUnchargedRequests } from './uncharged-requests';

let harness: LedgerHarness;
beforeAll(async () => {
  harness = await openLedgerHarness();
});
afterAll(async () => {
  await harness.close();
});

const find = (
  { holdId, accountId }: Pick<Admission, 'holdId' | 'accountId'>,
  apiKeyId?: string,
): Promise<Receipt | undefined> => findReceipt(harness.db.accountPool, accountId, holdId, apiKeyId);

async function held(more: Partial<Admission> = {}): Promise<Admission> {
  const admission = anAdmission(await harness.givenCustomer(1_000n), 100n, { requestId: 'mine', ...more });
  expect(await harness.ledger.admit(admission)).toEqual({ outcome: 'admitted' });
  return admission;
}

async function charged(costNano: bigint): Promise<Admission> {
  const admission = await held();
  await harness.ledger.settle({ ...admission, usage: aUsage(costNano, { firstTokenMs: 3 }) });
  return admission;
}

async function inReview(measuredNano: bigint): Promise<Admission> {
  const admission = await held();
  const { holdId, accountId } = admission;
  const usage = aUsage(measuredNano, { streamed: true });
  expect(await openReview(harness.db.servicePool, { holdId, accountId, usage })).toBe(true);
  return admission;
}

const resolveAs = (resolution: 'charge' | 'waive', reviewId: string) =>
  resolveReview(harness.db.workerPool, reviewId, { resolution, resolvedBy: 'olga', note: 'a secret' });

describe('the receipt of a request', () => {
  it('that is running shows the held amount, and its start', async () => {
    const admission = await held();
    const { holdId: id, apiKeyId, modelId, priceVersionId } = admission;
    expect(await find(admission)).toEqual({
      ...{ state: 'running', id, apiKeyId, modelId, requestId: 'mine', priceVersionId, heldNano: 100n },
      ...{ review: undefined, heldSince: expect.any(Date) as Date },
    });
  });

  it('that was charged shows the measured usage, its cost and the prices', async () => {
    const admission = await charged(30n);
    const { priceVersionId } = admission;
    expect(await find(admission)).toMatchObject({
      ...{ state: 'charged', refundedNano: 0n, review: undefined },
      measured: {
        ...{ promptTokens: 10, completionTokens: 20, costNano: 30n, priceVersionId, firstTokenMs: 3 },
        ...{ outcome: 'completed', streamed: false, estimated: false, latencyMs: 12 },
      },
    });
  });

  it('that was free is charged all the same', async () => {
    expect(await find(await charged(0n))).toMatchObject({ state: 'charged', measured: { costNano: 0n } });
  });

  it('over its hold shows that the excess was counted for a review, and costs the hold', async () => {
    const admission = await charged(140n);
    expect(await find(admission)).toMatchObject({
      ...{ state: 'charged', measured: { costNano: 100n } },
      review: { reason: 'usage_over_hold', state: 'open' },
    });
    await resolveAs('waive', admission.holdId);
    expect(await find(admission)).toMatchObject({ state: 'charged', review: { state: 'waived' } });
  });

  it('whose charge was refunded is refunded', async () => {
    const admission = await charged(30n);
    await refundLostResponse(harness.db.servicePool, admission.holdId, { unlessKept: false });
    expect(await find(admission)).toMatchObject({
      ...{ state: 'refunded', refundedNano: 30n, measured: { costNano: 30n } },
    });
  });

  it('whose charge failed is in review, with the reserved amount, and is charged or released by the resolution', async () => {
    const charge = await inReview(140n);
    expect(await find(charge)).toMatchObject({
      ...{ state: 'in_review', measured: { costNano: 100n, promptTokens: 10, streamed: true } },
      review: { reason: 'charge_failed', state: 'open', resolvedAt: null },
    });
    await resolveAs('charge', charge.holdId);
    expect(await find(charge)).toMatchObject({
      ...{ state: 'charged', measured: { costNano: 100n } },
      review: { reason: 'charge_failed', state: 'charged', resolvedAt: expect.any(Date) as Date },
    });
    const waived = await inReview(30n);
    await resolveAs('waive', waived.holdId);
    const receipt = await find(waived);
    expect(receipt).toMatchObject({
      state: 'released',
      review: { reason: 'charge_failed', state: 'waived' },
    });
    expect(JSON.stringify(receipt)).not.toMatch(/olga|secret/);
  });

  it('whose gateway was lost is released', async () => {
    const own = await openLedgerHarness();
    const admission = anAdmission(await own.givenCustomer(1_000n), 100n);
    await own.ledger.admit(admission);
    await own.db.pool.query(`UPDATE gateway_instance SET lease_expires_at = now() - interval '1 hour'`);
    expect(await sweepAbandonedHolds(own.db.workerPool)).toBe(1);
    const { accountId, holdId } = admission;
    expect(await findReceipt(own.db.accountPool, accountId, holdId)).toMatchObject({
      ...{ state: 'released', review: { reason: 'gateway_lost', state: 'open' } },
    });
    await own.close();
  });

  it.each(['refused', 'failed'] as const)("that was %s shows the client's error", async (outcome) => {
    const { accountId, apiKeyId } = await harness.givenCustomer(0n);
    const error = { errorMessage: 'Too many.', errorParam: 'model' };
    const told = { errorCode: 'rate_limit_error', ...error, httpStatus: 429 } as const;
    const id = uuidV7();
    await insertUnchargedRequests(harness.db.servicePool, [
      {
        ...{ id, accountId, apiKeyId, modelId: null, requestId: 'mine', outcome, ...told, streamed: true },
        ...{ latencyMs: 7, ageMs: 0 },
      },
    ]);
    expect(await findReceipt(harness.db.accountPool, accountId, id)).toMatchObject({
      ...{ state: outcome, modelId: null, ...told, streamed: true, latencyMs: 7, apiKeyId },
    });
  });
});

describe('the search for a receipt', () => {
  it('is limited to its account, and to the key of the request', async () => {
    const admission = await charged(30n);
    const { accountId, apiKeyId, holdId } = admission;
    expect(await find(admission, apiKeyId)).toBeDefined();
    expect(await find(admission, await givenApiKey(harness.db.pool, accountId))).toBeUndefined();
    const other = await harness.givenCustomer(0n);
    expect(await find({ holdId, accountId: other.accountId })).toBeUndefined();
    expect(await find({ holdId: uuidV7(), accountId })).toBeUndefined();
  });

  it('finds the newest request with this client-chosen id, whatever its state', async () => {
    const customer = await harness.givenCustomer(1_000n);
    const { accountId, apiKeyId } = customer;
    const named = (requestId: string, key?: string) =>
      findRequestNamed(harness.db.accountPool, accountId, requestId, key);
    const admit = async () => {
      const admission = anAdmission(customer, 100n, {
        requestId: 'mine',
        idempotency: { key: uuidV7(), fingerprint: createHash('sha256').digest() },
      });
      expect(await harness.ledger.admit(admission)).toEqual({ outcome: 'admitted' });
      return admission;
    };
    expect(await named('mine')).toBeUndefined();
    const first = await admit();
    expect(await named('mine')).toBe(first.holdId);
    await harness.ledger.settle({ ...first, usage: aUsage(30n) });
    expect(await named('mine')).toBe(first.holdId);
    const second = await admit();
    expect(await named('mine')).toBe(second.holdId);
    await openReview(harness.db.servicePool, { ...second, usage: aUsage(1n) });
    expect(await named('mine', apiKeyId)).toBe(second.holdId);
    expect(await named('mine', await givenApiKey(harness.db.pool, accountId))).toBeUndefined();
    expect(await named('hers')).toBeUndefined();
  });
});
