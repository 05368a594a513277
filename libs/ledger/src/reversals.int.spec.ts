import { uuidV7 } from '@farebox/auth';
import { toNanoUsd } from '@farebox/money';
import fc from 'fast-check';
import { anAdmission, openLedgerHarness, type LedgerHarness } from '../test/ledger-harness';
import {
  adjustBalance,
  collectOwed,
  readBalance,
  readOwed,
  ReferenceTakenError,
  topUp,
} from './account-funds';

let harness: LedgerHarness;
beforeAll(async () => {
  harness = await openLedgerHarness();
});
afterAll(async () => {
  await harness.close();
});

async function reverse(accountId: string, amountNano: bigint, reference: string = uuidV7()) {
  const { rows } = await harness.db.pool.query<{ created: boolean; taken_nano: string }>(
    `SELECT created, taken_nano::text FROM ledger_reverse($1, $2, 'disputed', $3, 'stripe')`,
    [accountId, amountNano, reference],
  );
  return { created: rows[0]?.created, takenNano: BigInt(rows[0]?.taken_nano ?? -1) };
}
async function reinstate(reference: string): Promise<boolean | undefined> {
  const { rows } = await harness.db.pool.query<{ done: boolean }>(
    `SELECT ledger_reinstate($1, 'stripe') AS done`,
    [reference],
  );
  return rows[0]?.done;
}
async function pay(accountId: string, amountNano: bigint): Promise<void> {
  const payment = { accountId, amountNano: toNanoUsd(amountNano), method: 'manual', reference: uuidV7() };
  await topUp(harness.db.pool, payment);
}
const balanceOf = async (accountId: string) => (await readBalance(harness.db.pool, accountId)).balanceNano;
const owedOf = (accountId: string) => readOwed(harness.db.pool, accountId);
async function statusOf(accountId: string): Promise<unknown> {
  const { rows } = await harness.db.pool.query<{ status: string }>(
    'SELECT invite_status AS status FROM account WHERE id = $1',
    [accountId],
  );
  return rows[0]?.status;
}

describe('a reversal', () => {
  it('takes the available amount, once for its reference, even if many come at once', async () => {
    const { accountId } = await harness.givenCustomer(100n);
    const results = await Promise.all([1, 2, 3, 4].map(() => reverse(accountId, 30n, `once-${accountId}`)));
    expect(results.filter(({ created }) => created)).toHaveLength(1);
    expect(results.map(({ takenNano }) => takenNano)).toEqual([30n, 30n, 30n, 30n]);
    expect([await balanceOf(accountId), await owedOf(accountId)]).toEqual([70n, 0n]);
    expect(await statusOf(accountId)).toBe('active');
  });

  it('larger than the available amount takes that, leaves the rest as a debt and suspends', async () => {
    const customer = await harness.givenCustomer(100n);
    const { accountId } = customer;
    const admission = anAdmission(customer, 80n);
    await harness.ledger.admit(admission);
    expect(await reverse(accountId, 50n)).toEqual({ created: true, takenNano: 20n });
    expect([await balanceOf(accountId), await owedOf(accountId)]).toEqual([80n, 30n]);
    expect(await statusOf(accountId)).toBe('suspended');
    expect(await harness.ledger.admit(anAdmission(customer, 1n))).toEqual({ outcome: 'no_access' });

    await harness.ledger.settle({ holdId: admission.holdId, accountId });
    expect(await collectOwed(harness.db.pool, accountId)).toBe(0n);
    expect([await balanceOf(accountId), await owedOf(accountId)]).toEqual([50n, 0n]);
  });

  it('is refused if its reference was used for another one', async () => {
    const { accountId } = await harness.givenCustomer(100n);
    await reverse(accountId, 1n, `taken-${accountId}`);
    await expect(reverse(accountId, 2n, `taken-${accountId}`)).rejects.toMatchObject({ code: 'FB001' });
    const payment = {
      accountId,
      amountNano: toNanoUsd(1n),
      method: 'manual',
      reference: `taken-${accountId}`,
    };
    await topUp(harness.db.pool, payment);
    await expect(topUp(harness.db.pool, { ...payment, amountNano: toNanoUsd(2n) })).rejects.toThrow(
      ReferenceTakenError,
    );
  });
});

describe('a debt', () => {
  it('is paid by the next income, from a top-up or by hand', async () => {
    const { accountId } = await harness.givenCustomer(0n);
    await reverse(accountId, 50n);
    await pay(accountId, 20n);
    expect([await balanceOf(accountId), await owedOf(accountId)]).toEqual([0n, 30n]);
    const gift = { accountId, amountNano: toNanoUsd(40n), reason: 'x', reference: uuidV7(), madeBy: 'ada' };
    await adjustBalance(harness.db.pool, gift);
    expect([await balanceOf(accountId), await owedOf(accountId)]).toEqual([10n, 0n]);
    expect(await statusOf(accountId)).toBe('suspended');
  });

  it('is gone if the payment stands after all, and the taken amount is returned, once', async () => {
    const { accountId } = await harness.givenCustomer(20n);
    const reference = uuidV7();
    await reverse(accountId, 50n, reference);
    const done = await Promise.all([reinstate(reference), reinstate(reference)]);
    expect(done.sort()).toEqual([false, true]);
    expect([await balanceOf(accountId), await owedOf(accountId)]).toEqual([20n, 0n]);
    expect(await reinstate('nobody')).toBe(false);
  });

  it('never creates or loses money, in any order of events', async () => {
    const amount = fc.bigInt({ min: 1n, max: 100n });
    const step = fc.record({ kind: fc.constantFrom('pay', 'reverse', 'reinstate', 'collect'), amount });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const { accountId } = await harness.givenCustomer(0n);
        // The balance minus the debt is a plain sum. One of the two is zero.
        let worthNano = 0n;
        const reversals: { reference: string; amount: bigint }[] = [];
        for (const { kind, amount } of steps) {
          if (kind === 'pay') {
            await pay(accountId, amount);
            worthNano += amount;
          } else if (kind === 'reverse') {
            const reference = uuidV7();
            await reverse(accountId, amount, reference);
            reversals.push({ reference, amount });
            worthNano -= amount;
          } else if (kind === 'reinstate') {
            const last = reversals.pop();
            if (last && (await reinstate(last.reference))) worthNano += last.amount;
          } else await collectOwed(harness.db.pool, accountId);
          const [balanceNano, owedNano] = [await balanceOf(accountId), await owedOf(accountId)];
          expect(balanceNano - owedNano).toBe(worthNano);
          expect(balanceNano === 0n || owedNano === 0n).toBe(true);
        }
      }),
      { numRuns: 40 },
    );
  });
});
