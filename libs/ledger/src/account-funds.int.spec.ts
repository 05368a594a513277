import { uuidV7 } from '@farebox/auth';
import { toNanoUsd } from '@farebox/money';
import { anAdmission, openLedgerHarness, type LedgerHarness } from '../test/ledger-harness';
import {
  adjustBalance,
  InsufficientFundsError,
  NoSuchAccountError,
  readBalance,
  ReferenceTakenError,
  topUp,
  type Adjustment,
} from './account-funds';

import { listEntries } from './ledger-entries';

let harness: LedgerHarness;
beforeAll(async () => {
  harness = await openLedgerHarness();
});
afterAll(async () => {
  await harness.close();
});

const anAdjustment = (accountId: string, amountNano: bigint, more: Partial<Adjustment> = {}): Adjustment => ({
  accountId,
  amountNano: toNanoUsd(amountNano),
  reason: 'goodwill',
  reference: uuidV7(),
  madeBy: 'ada',
  ...more,
});
const adjust = (adjustment: Adjustment) => adjustBalance(harness.db.pool, adjustment);

describe('a top-up', () => {
  it('counts once for its reference, even if many come at once', async () => {
    const { accountId } = await harness.givenCustomer(0n);
    const payment = { accountId, amountNano: toNanoUsd(5n), method: 'manual', reference: uuidV7() };
    const results = await Promise.all([1, 2, 3, 4].map(() => topUp(harness.db.pool, payment)));
    expect(results.filter(({ created }) => created)).toHaveLength(1);
    expect(new Set(results.map(({ fundingId }) => fundingId)).size).toBe(1);
    expect((await readBalance(harness.db.pool, accountId)).balanceNano).toBe(5n);
  });

  it('is refused if its reference was used for another one, or the account does not exist', async () => {
    const { accountId } = await harness.givenCustomer(0n);
    const payment = { accountId, amountNano: toNanoUsd(5n), method: 'manual', reference: uuidV7() };
    await topUp(harness.db.pool, payment);
    const other = { ...payment, amountNano: toNanoUsd(6n) };
    await expect(topUp(harness.db.pool, other)).rejects.toThrow(ReferenceTakenError);
    const nobody = { ...payment, accountId: uuidV7(), reference: uuidV7() };
    await expect(topUp(harness.db.pool, nobody)).rejects.toThrow(NoSuchAccountError);
  });
});

describe('an adjustment', () => {
  it('gives or takes, once for its reference, by a separate entry', async () => {
    const { accountId } = await harness.givenCustomer(100n);
    const taken = anAdjustment(accountId, -30n);
    expect(await adjust(taken)).toMatchObject({ created: true, balanceAfterNano: 70n });
    expect(await adjust(taken)).toMatchObject({ created: false, balanceAfterNano: 70n });
    expect(await adjust(anAdjustment(accountId, 5n))).toMatchObject({ created: true, balanceAfterNano: 75n });
    const entries = await listEntries(harness.db.pool, accountId, { limit: 10, kind: 'adjustment' });
    expect(entries.map(({ fromBook, toBook, amountNano }) => [fromBook, toBook, amountNano])).toEqual([
      ['adjustments', 'customer', 5n],
      ['customer', 'adjustments', 30n],
    ]);
  });

  it('takes no more than is available, and leaves its reference free in that case', async () => {
    const customer = await harness.givenCustomer(100n);
    const { accountId } = customer;
    const admission = anAdmission(customer, 80n);
    await harness.ledger.admit(admission);
    const adjustment = anAdjustment(accountId, -21n);
    await expect(adjust(adjustment)).rejects.toThrow(InsufficientFundsError);
    await harness.ledger.settle({ holdId: admission.holdId, accountId });
    expect(await adjust(adjustment)).toMatchObject({ created: true, balanceAfterNano: 79n });
  });

  it('is refused if its reference was used for another one, or the account does not exist', async () => {
    const { accountId } = await harness.givenCustomer(100n);
    const { reference } = anAdjustment(accountId, 1n);
    await adjust(anAdjustment(accountId, 1n, { reference }));
    await expect(adjust(anAdjustment(accountId, 2n, { reference }))).rejects.toThrow(ReferenceTakenError);
    await expect(adjust(anAdjustment(uuidV7(), 1n))).rejects.toThrow(NoSuchAccountError);
  });
});
