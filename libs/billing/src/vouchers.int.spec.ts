import { uuidV7 } from '@farebox/auth';
import { fromDecimalUsd } from '@farebox/money';
import { createTestDatabase, givenAccount, type TestDatabase } from '@farebox/testing';
import pg from 'pg';
import { listReceipts } from './receipts';
import { createVouchers, listVouchers, type NewVouchers, redeemVoucher, revokeVouchers } from './vouchers';

let db: TestDatabase;
let operatorPool: pg.Pool;
let ada: string;
let eve: string;
beforeAll(async () => {
  db = await createTestDatabase();
  operatorPool = new pg.Pool({ connectionString: db.operatorUrl });
});
beforeEach(async () => {
  [ada, eve] = [await givenAccount(db.pool), await givenAccount(db.pool)];
});
afterAll(async () => {
  await operatorPool.end();
  await db.drop();
});

const TEN = fromDecimalUsd('10');
const IN_AN_HOUR = new Date(Date.now() + 3_600_000);

async function make(more: Partial<NewVouchers> = {}) {
  const made = await createVouchers(operatorPool, {
    ...{ count: 1, amountNano: TEN, mostPerAccount: null, note: null },
    ...{ createdBy: 'grace', expiresAt: IN_AN_HOUR, ...more },
  });
  return { ...made, codes: made.vouchers.map(({ code }) => code) };
}
const redeem = (accountId: string, code = '') => redeemVoucher(db.accountPool, accountId, code);
async function balanceOf(accountId: string): Promise<bigint> {
  const { rows } = await db.pool.query<{ balance: string }>(
    'SELECT balance_nano::text AS balance FROM account_funds WHERE account_id = $1',
    [accountId],
  );
  return BigInt(rows[0]?.balance ?? -1);
}
const stateOf = async (batchId: string) =>
  (await listVouchers(operatorPool, { limit: 100, batchId })).map(({ state }) => state);

describe('a voucher', () => {
  it('credits its amount once, and the same account gets the same answer again', async () => {
    const { codes } = await make();
    const first = await redeem(ada, codes[0]);
    expect(first.outcome).toBe('redeemed');
    expect(await redeem(ada, codes[0]?.toLowerCase().replaceAll('-', ' '))).toEqual(first);
    expect(await balanceOf(ada)).toBe(TEN);
  });

  it('refuses another account as it refuses an unknown code', async () => {
    const { codes } = await make();
    await redeem(ada, codes[0]);
    expect(await redeem(eve, codes[0])).toEqual(await redeem(eve, 'K7QM-2XRT-9ABC-DEFG-HJKM'));
    expect(await redeem(eve, codes[0])).toEqual(await redeem(eve, 'no code'));
    expect(await balanceOf(eve)).toBe(0n);
  });

  it('is refused once it has expired', async () => {
    const { batchId, codes } = await make({ expiresAt: new Date(Date.now() - 1_000) });
    expect((await redeem(ada, codes[0])).outcome).toBe('refused');
    expect(await stateOf(batchId)).toEqual(['expired']);
  });

  it('is listed with who redeemed it, when, and without its code', async () => {
    const { batchId, vouchers, codes } = await make({ note: 'meetup' });
    await redeem(ada, codes[0]);
    const [listed] = await listVouchers(operatorPool, { limit: 1, accountId: ada });
    expect(listed).toMatchObject({
      ...{ id: vouchers[0]?.id, batchId, hint: codes[0]?.slice(-4), amountNano: TEN, note: 'meetup' },
      ...{ state: 'redeemed', createdBy: 'grace', accountId: ada, redeemedAt: expect.any(Date) as Date },
    });
    expect(JSON.stringify(listed, (_, value: unknown) => String(value))).not.toContain(codes[0]);
    await expect(operatorPool.query('SELECT code_sha256 FROM voucher')).rejects.toMatchObject({
      code: '42501',
    });
  });

  it('is no payment: it has no receipt', async () => {
    const { codes } = await make();
    await redeem(ada, codes[0]);
    expect(await listReceipts(db.accountPool, ada, { limit: 5 })).toEqual([]);
  });

  it('pays a debt first', async () => {
    await db.pool.query(`SELECT ledger_reverse($1, $2, 'disputed', $3, 'stripe')`, [
      ...[ada, fromDecimalUsd('4'), uuidV7()],
    ]);
    const { codes } = await make();
    await redeem(ada, codes[0]);
    expect(await balanceOf(ada)).toBe(fromDecimalUsd('6'));
  });

  it('credits one of two accounts, once, however often both redeem it at once', async () => {
    for (let round = 0; round < 5; round++) {
      [ada, eve] = [await givenAccount(db.pool), await givenAccount(db.pool)];
      const { batchId, codes } = await make();
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, async (_, i) => (await redeem(i % 2 ? ada : eve, codes[0])).outcome),
      );
      expect(outcomes.sort()).toEqual(
        [
          ...Array.from({ length: 10 }, () => 'redeemed'),
          ...Array.from({ length: 10 }, () => 'refused'),
        ].sort(),
      );
      expect((await balanceOf(ada)) + (await balanceOf(eve))).toBe(TEN);
      expect(await stateOf(batchId)).toEqual(['redeemed']);
    }
  });

  it('is redeemed as a whole or not at all', async () => {
    const { batchId, codes } = await make();
    const client = await db.pool.connect();
    await client.query('BEGIN');
    expect((await redeemVoucher(client, ada, codes[0] ?? '')).outcome).toBe('redeemed');
    await client.query('ROLLBACK');
    client.release();
    expect([await balanceOf(ada), await stateOf(batchId)]).toEqual([0n, ['open']]);
    expect((await redeem(eve, codes[0])).outcome).toBe('redeemed');
  });

  it('changes once: nobody changes its amount, revokes it afterwards or deletes it', async () => {
    const { codes, vouchers } = await make();
    const id = vouchers[0]?.id;
    const change = (sql: string) => db.pool.query(`UPDATE voucher SET ${sql} WHERE id = $1`, [id]);
    await expect(change('amount_nano = amount_nano + 1')).rejects.toMatchObject({ code: '23001' });
    await redeem(ada, codes[0]);
    await expect(change('revoked_at = now(), funding_id = NULL')).rejects.toMatchObject({ code: '23001' });
    await expect(db.pool.query('DELETE FROM voucher WHERE id = $1', [id])).rejects.toMatchObject({
      code: '23001',
    });
  });
});

describe('of a batch', () => {
  it('an account may redeem as many as are set, also at once', async () => {
    const { codes } = await make({ count: 6, mostPerAccount: 2 });
    const outcomes = await Promise.all(
      codes.slice(0, 5).map(async (code) => (await redeem(ada, code)).outcome),
    );
    expect(outcomes.filter((outcome) => outcome === 'redeemed')).toHaveLength(2);
    expect(outcomes.filter((outcome) => outcome === 'limited')).toHaveLength(3);
    expect(await balanceOf(ada)).toBe(2n * TEN);
    expect((await redeem(eve, codes[5])).outcome).toBe('redeemed');
  });

  it('those that nobody has redeemed can be revoked, one or all', async () => {
    const { batchId, vouchers, codes } = await make({ count: 3 });
    await redeem(ada, codes[0]);
    expect(await revokeVouchers(operatorPool, { voucherId: vouchers[1]?.id ?? '' })).toEqual({
      ...{ found: 1, redeemed: 0, revoked: 1 },
    });
    expect(await revokeVouchers(operatorPool, { batchId })).toEqual({ found: 3, redeemed: 1, revoked: 1 });
    expect((await stateOf(batchId)).sort()).toEqual(['redeemed', 'revoked', 'revoked']);
    for (const code of codes.slice(1)) expect((await redeem(eve, code)).outcome).toBe('refused');
    // Who has redeemed one keeps its amount.
    expect((await redeem(ada, codes[0])).outcome).toBe('redeemed');
    expect(await revokeVouchers(operatorPool, { voucherId: uuidV7() })).toMatchObject({ found: 0 });
  });
});
