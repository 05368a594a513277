import { openGivingUpStand, type GivingUpStand } from '../test/giving-up-harness';
import { aUsage } from '../test/ledger-harness';
import { readBalance } from './account-funds';
import type { FailedCharge } from './failed-charges';
import { ChargeHandedOverError, LedgerUnavailableError } from './ledger-error';
import { listReviews, openReview, type Review } from './reviews';

let stand: GivingUpStand;
afterEach(async () => {
  await stand.close();
});

function reviewsOf(accountId: string): Promise<Review[]> {
  return listReviews(stand.db.pool, { limit: 10, accountId });
}

describe('what the ledger gave up because the database did not answer', () => {
  beforeEach(async () => {
    stand = await openGivingUpStand();
  });

  it('a charge: becomes a review that reserves what was measured', async () => {
    const { holdId, accountId } = await stand.givenHold();
    const thrown = await stand.settleInVain({ holdId, accountId, usage: aUsage(30n) });
    expect(thrown).toBeInstanceOf(LedgerUnavailableError);
    await stand.untilNothingIsHeldOpen();
    expect(await reviewsOf(accountId)).toMatchObject([
      { id: holdId, reason: 'charge_failed', state: 'open', heldNano: 80n, reservedNano: 30n },
    ]);
    expect(await readBalance(stand.db.pool, accountId)).toMatchObject({ balanceNano: 100n, heldNano: 30n });
  });

  it('a release: is done when the database answers again', async () => {
    const { holdId, accountId } = await stand.givenHold();
    expect(await stand.settleInVain({ holdId, accountId })).toBeInstanceOf(LedgerUnavailableError);
    await stand.untilNothingIsHeldOpen();
    expect(await reviewsOf(accountId)).toEqual([]);
    expect(await readBalance(stand.db.pool, accountId)).toMatchObject({ balanceNano: 100n, heldNano: 0n });
  });
});

describe('a ledger that can hand over what it gave up', () => {
  let taken: FailedCharge[];
  beforeEach(async () => {
    taken = [];
    const handOver = (charge: FailedCharge): Promise<void> => {
      taken.push(charge);
      return Promise.resolve();
    };
    stand = await openGivingUpStand({ handOver });
  });

  it('a charge: leaves it to whoever took it, with what was measured and without the answer', async () => {
    const { holdId, accountId } = await stand.givenHold();
    const usage = aUsage(30n);
    const answer = Buffer.from('encrypted');
    const thrown = await stand.settleInVain({ holdId, accountId, usage: { ...usage, answer } });
    expect(thrown).toBeInstanceOf(ChargeHandedOverError);
    expect(taken).toEqual([{ holdId, accountId, usage }]);
    expect((await stand.db.pool.query('SELECT id FROM hold')).rows).toEqual([{ id: holdId }]);

    const opened = await Promise.all(taken.map((charge) => openReview(stand.db.servicePool, charge)));
    expect(opened).toEqual([true]);
    expect(await reviewsOf(accountId)).toMatchObject([{ id: holdId, reservedNano: 30n }]);
  });

  it('a release: keeps it to itself', async () => {
    const { holdId, accountId } = await stand.givenHold();
    await stand.settleInVain({ holdId, accountId });
    await stand.untilNothingIsHeldOpen();
    expect(taken).toEqual([]);
  });
});

it('a charge that is not taken over: is told with the reason, and becomes a review all the same', async () => {
  const cause = new Error('no queue either');
  stand = await openGivingUpStand({ handOver: () => Promise.reject(cause) });
  const { holdId, accountId } = await stand.givenHold();
  const thrown = await stand.settleInVain({ holdId, accountId, usage: aUsage(30n) });
  expect(thrown).toMatchObject({ name: 'LedgerUnavailableError', cause });
  await stand.untilNothingIsHeldOpen();
  expect(await reviewsOf(accountId)).toMatchObject([
    { id: holdId, reason: 'charge_failed', reservedNano: 30n },
  ]);
});

it('a charge that was taken over and lost there: becomes a review after a while', async () => {
  stand = await openGivingUpStand({ handOver: () => Promise.resolve(), handOverGraceMs: 100 });
  const { holdId, accountId } = await stand.givenHold();
  const thrown = await stand.settleInVain({ holdId, accountId, usage: aUsage(30n) });
  expect(thrown).toBeInstanceOf(ChargeHandedOverError);
  await stand.untilNothingIsHeldOpen();
  expect(await reviewsOf(accountId)).toMatchObject([
    { id: holdId, reason: 'charge_failed', reservedNano: 30n },
  ]);
});
