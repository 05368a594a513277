import { openGivingUpHarness, type GivingUpHarness } from '../test/giving-up-harness';
import { aUsage } from '../test/ledger-harness';
import { readBalance } from './account-funds';
import { ChargeHandedOverError, LedgerUnavailableError, type FailedCharge } from './hold';
import { listReviews, openReview, type Review } from './reviews';

let harness: GivingUpHarness;
afterEach(async () => {
  await harness.close();
});

function reviewsOf(accountId: string): Promise<Review[]> {
  return listReviews(harness.db.pool, { limit: 10, accountId });
}

describe('work that the ledger gave up because the database did not answer', () => {
  beforeEach(async () => {
    harness = await openGivingUpHarness();
  });

  it('a charge: becomes a review that reserves the measured amount', async () => {
    const { holdId, accountId } = await harness.givenHold();
    const thrown = await harness.settleUntilGivenUp({ holdId, accountId, usage: aUsage(30n) });
    expect(thrown).toBeInstanceOf(LedgerUnavailableError);
    await harness.untilNothingIsHeldOpen();
    expect(await reviewsOf(accountId)).toMatchObject([
      { id: holdId, reason: 'charge_failed', state: 'open', heldNano: 80n, reservedNano: 30n },
    ]);
    expect(await readBalance(harness.db.pool, accountId)).toMatchObject({ balanceNano: 100n, heldNano: 30n });
  });

  it('uncounted usage: is not charged, but becomes a review that says so and reserves the estimate', async () => {
    const { holdId, accountId } = await harness.givenHold();
    const usage = aUsage(30n, { isUncounted: true });
    const thrown = await harness.settleUntilGivenUp({ holdId, accountId, usage });
    expect(thrown).toMatchObject({ message: 'the tokens could not be counted' });
    await harness.untilNothingIsHeldOpen();
    expect(await reviewsOf(accountId)).toMatchObject([
      { id: holdId, reason: 'charge_failed', state: 'open', reservedNano: 30n, isUncounted: true },
    ]);
    expect(await readBalance(harness.db.pool, accountId)).toMatchObject({ balanceNano: 100n, heldNano: 30n });
  });

  it('a release: is done when the database answers again', async () => {
    const { holdId, accountId } = await harness.givenHold();
    expect(await harness.settleUntilGivenUp({ holdId, accountId })).toBeInstanceOf(LedgerUnavailableError);
    await harness.untilNothingIsHeldOpen();
    expect(await reviewsOf(accountId)).toEqual([]);
    expect(await readBalance(harness.db.pool, accountId)).toMatchObject({ balanceNano: 100n, heldNano: 0n });
  });
});

describe('a ledger that can hand over work that it gave up', () => {
  let taken: FailedCharge[];
  beforeEach(async () => {
    taken = [];
    const handOver = (charge: FailedCharge): Promise<void> => {
      taken.push(charge);
      return Promise.resolve();
    };
    harness = await openGivingUpHarness({ handOver });
  });

  it('a charge: leaves it to the receiver, with the measured usage and without the answer', async () => {
    const { holdId, accountId } = await harness.givenHold();
    const usage = aUsage(30n);
    const answer = Buffer.from('encrypted');
    const thrown = await harness.settleUntilGivenUp({ holdId, accountId, usage: { ...usage, answer } });
    expect(thrown).toBeInstanceOf(ChargeHandedOverError);
    expect(taken).toEqual([{ holdId, accountId, usage }]);
    expect((await harness.db.pool.query('SELECT id FROM hold')).rows).toEqual([{ id: holdId }]);

    const opened = await Promise.all(taken.map((charge) => openReview(harness.db.servicePool, charge)));
    expect(opened).toEqual([true]);
    expect(await reviewsOf(accountId)).toMatchObject([{ id: holdId, reservedNano: 30n }]);
  });

  it('a release: keeps it to itself', async () => {
    const { holdId, accountId } = await harness.givenHold();
    await harness.settleUntilGivenUp({ holdId, accountId });
    await harness.untilNothingIsHeldOpen();
    expect(taken).toEqual([]);
  });
});

it('a charge that is not accepted: is reported with the reason, and becomes a review all the same', async () => {
  const cause = new Error('no queue either');
  harness = await openGivingUpHarness({ handOver: () => Promise.reject(cause) });
  const { holdId, accountId } = await harness.givenHold();
  const thrown = await harness.settleUntilGivenUp({ holdId, accountId, usage: aUsage(30n) });
  expect(thrown).toMatchObject({ name: 'LedgerUnavailableError', cause });
  await harness.untilNothingIsHeldOpen();
  expect(await reviewsOf(accountId)).toMatchObject([
    { id: holdId, reason: 'charge_failed', reservedNano: 30n },
  ]);
});

it('a charge that was taken over and lost there: becomes a review after a while', async () => {
  harness = await openGivingUpHarness({ handOver: () => Promise.resolve(), handOverGraceMs: 100 });
  const { holdId, accountId } = await harness.givenHold();
  const thrown = await harness.settleUntilGivenUp({ holdId, accountId, usage: aUsage(30n) });
  expect(thrown).toBeInstanceOf(ChargeHandedOverError);
  await harness.untilNothingIsHeldOpen();
  expect(await reviewsOf(accountId)).toMatchObject([
    { id: holdId, reason: 'charge_failed', reservedNano: 30n },
  ]);
});
