import { toPublicId } from '@farebox/auth';
import { REVIEW_POLICIES, type ReviewPolicy } from '@farebox/config';
import { openReview, resolveReview, sweepAbandonedHolds } from '@farebox/ledger';
import { createLogger } from '@farebox/observability';
import {
  BALANCE_NANO,
  MEASURED_NANO,
  openFailedChargesHarness,
  type FailedCharge,
  type FailedChargesHarness,
} from '../test/failed-charges-harness';
import { reconcileCharge } from './handlers';

let harness: FailedChargesHarness;
const logged: string[] = [];
const log = createLogger({
  service: 'worker',
  level: 'info',
  destination: { write: (line: string) => logged.push(line) },
});
beforeEach(async () => {
  logged.length = 0;
  harness = await openFailedChargesHarness();
});
afterEach(() => harness.close());

/** One delivery of the job, with a worker's rights. */
function deliver(charge: FailedCharge, policy: ReviewPolicy): Promise<void> {
  return reconcileCharge({ pool: harness.db.workerPool, log, policy }, charge);
}

const byPolicy = (policy: ReviewPolicy) => ({
  resolved_by: 'policy',
  note: `by FAREBOX_REVIEW_POLICY=${policy}`,
});
const open = { reason: 'charge_failed', state: 'open', resolved_by: null, note: null };
const inReview = {
  balanceNano: BALANCE_NANO,
  heldNano: MEASURED_NANO,
  charges: 0,
  refunds: 0,
  reviews: [open],
};
const charged = { balanceNano: BALANCE_NANO - MEASURED_NANO, heldNano: 0n, charges: 1, refunds: 0 };
const free = { balanceNano: BALANCE_NANO, heldNano: 0n, charges: 0, refunds: 0 };
const waivedBy = (policy: ReviewPolicy) => ({ ...open, state: 'waived', ...byPolicy(policy) });

describe.each([
  ['manual', true, inReview],
  ['manual', false, inReview],
  ['charge', true, { ...charged, reviews: [{ ...open, state: 'charged', ...byPolicy('charge') }] }],
  ['charge', false, { ...free, reviews: [waivedBy('charge')] }],
  ['waive', true, { ...free, reviews: [waivedBy('waive')] }],
] as const)('a failed charge under the policy %s, streamed: %s', (policy, streamed, books) => {
  it('results in one review and one outcome, delivered twice and many times concurrently', async () => {
    const charge = await harness.givenFailedCharge(streamed);
    await Promise.all(Array.from({ length: 8 }, () => deliver(charge, policy)));
    await deliver(charge, policy);
    expect(await harness.read(charge.accountId)).toEqual(books);
  });

  it('has the same outcome if the worker died between review and policy', async () => {
    const charge = await harness.givenFailedCharge(streamed);
    expect(await openReview(harness.db.workerPool, charge)).toBe(true);
    await deliver(charge, policy);
    expect(await harness.read(charge.accountId)).toEqual(books);
  });
});

it('is logged once as a review and once as an outcome, under the id of its request', async () => {
  const charge = await harness.givenFailedCharge(true);
  await deliver(charge, 'charge');
  await deliver(charge, 'charge');
  const ids = {
    request_id: 'req_1',
    hold_id: charge.holdId,
    account_id: toPublicId('acct', charge.accountId),
  };
  expect(logged.map((line) => JSON.parse(line) as object)).toMatchObject([
    { event: 'review_opened', amount_nano: '45', ...ids },
    { event: 'review_resolved', outcome: 'charge', ...ids },
  ]);
});

describe.each(REVIEW_POLICIES)('under the policy %s, nothing happens to', (policy) => {
  it('a hold released by the sweep: nobody is charged without proof', async () => {
    const charge = await harness.givenFailedCharge(true);
    await harness.gateway.close();
    expect(await sweepAbandonedHolds(harness.db.workerPool)).toBe(1);
    await deliver(charge, policy);
    const lost = { ...open, reason: 'gateway_lost' };
    expect(await harness.read(charge.accountId)).toEqual({ ...free, reviews: [lost] });
  });

  it('a stream that was charged in the meantime', async () => {
    const charge = await harness.givenFailedCharge(true);
    expect(await harness.gateway.settle(charge)).toBe('resolved');
    await deliver(charge, policy);
    expect(await harness.read(charge.accountId)).toEqual({ ...charged, reviews: [] });
  });

  it('a review that an operator has resolved', async () => {
    const charge = await harness.givenFailedCharge(true);
    await deliver(charge, 'manual');
    await resolveReview(harness.db.pool, charge.holdId, { resolution: 'waive', resolvedBy: 'ada' });
    await deliver(charge, policy);
    const byAda = { ...open, state: 'waived', resolved_by: 'ada' };
    expect(await harness.read(charge.accountId)).toEqual({ ...free, reviews: [byAda] });
  });
});

describe('a complete response that was withheld and then charged', () => {
  it('is refunded once, delivered twice and concurrently', async () => {
    const charge = await harness.givenFailedCharge(false);
    expect(await harness.gateway.settle(charge)).toBe('resolved');
    await Promise.all(Array.from({ length: 4 }, () => deliver(charge, 'charge')));
    await deliver(charge, 'charge');
    expect(await harness.read(charge.accountId)).toEqual({ ...free, charges: 1, refunds: 1, reviews: [] });
    expect(logged.filter((line) => line.includes('"withheld_answer_refunded"'))).toHaveLength(1);
  });

  it('is not refunded if an Idempotency-Key can still retrieve it', async () => {
    const charge = await harness.givenFailedCharge(false, 'again');
    const usage = { ...charge.usage, answer: Buffer.from('encrypted') };
    expect(await harness.gateway.settle({ ...charge, usage })).toBe('resolved');
    await deliver(charge, 'charge');
    expect(await harness.read(charge.accountId)).toEqual({ ...charged, reviews: [] });
  });

  it('is not refunded if an operator charged it', async () => {
    const charge = await harness.givenFailedCharge(false);
    await deliver(charge, 'manual');
    await resolveReview(harness.db.pool, charge.holdId, { resolution: 'charge', resolvedBy: 'ada' });
    await deliver(charge, 'manual');
    expect(await harness.read(charge.accountId)).toMatchObject(charged);
  });
});

it('either the sweep or the job gets a hold if both come concurrently', async () => {
  const charges = await Promise.all(Array.from({ length: 10 }, () => harness.givenFailedCharge(true)));
  await harness.gateway.close();
  await Promise.all([
    sweepAbandonedHolds(harness.db.workerPool),
    ...charges.map((charge) => deliver(charge, 'manual')),
  ]);
  for (const { accountId } of charges) {
    const books = await harness.read(accountId);
    const lost = { ...free, reviews: [{ ...open, reason: 'gateway_lost' }] };
    expect(books).toEqual(books.heldNano === 0n ? lost : inReview);
  }
});
