import { anAdmission, aUsage, openLedgerHarness, type LedgerHarness } from '../../test/ledger-harness';
import { verifyLedger } from './verify-ledger';

let harness: LedgerHarness;
beforeAll(async () => {
  harness = await openLedgerHarness();
});
afterAll(async () => {
  await harness.close();
});

async function charge(customer: { accountId: string; apiKeyId: string }): Promise<void> {
  const admission = anAdmission(customer, 50n);
  await harness.ledger.admit(admission);
  const { holdId, accountId } = admission;
  expect(await harness.ledger.settle({ holdId, accountId, usage: aUsage(20n) })).toBe('resolved');
}

/** Records correct books as verified. */
async function checkpointNow(sinceCheckpoint: boolean): Promise<void> {
  expect((await verifyLedger(harness.db.pool, { sinceCheckpoint })).differences).toEqual([]);
}

/** The findings while a row is changed past its triggers, as an owner can do. */
async function findWhileChanged(
  { table, column, where }: { table: string; column: string; where: string },
  sinceCheckpoint: boolean,
): Promise<string[]> {
  const change = (by: string) =>
    harness.db.pool.query(`ALTER TABLE ${table} DISABLE TRIGGER USER;
      UPDATE ${table} SET ${column} = ${column} ${by} WHERE ${where};
      ALTER TABLE ${table} ENABLE TRIGGER USER`);
  await change('+ 1');
  try {
    const { differences } = await verifyLedger(harness.db.pool, { sinceCheckpoint });
    return differences.map(({ check }) => check);
  } finally {
    await change('- 1');
  }
}

it('correct books are right when read from a checkpoint, over several checkpoints', async () => {
  const customer = await harness.givenCustomer(1_000n);
  await charge(customer);
  await checkpointNow(false);
  await charge(customer);
  await checkpointNow(true);
  await charge(customer);
  await charge(await harness.givenCustomer(100n));
  const verification = await verifyLedger(harness.db.pool, { sinceCheckpoint: true });
  expect(verification.differences).toEqual([]);
  expect(verification.since).toBeInstanceOf(Date);
});

it('without a checkpoint all books are read', async () => {
  await harness.db.pool.query('TRUNCATE ledger_checkpoint');
  expect((await verifyLedger(harness.db.pool, { sinceCheckpoint: true })).since).toBeNull();
});

describe('a manual change', () => {
  it.each([
    ['usage_record', 'cost_nano', 'a charge and its usage record belong together'],
    ['ledger_entry', 'balance_after_nano', 'entries follow each other and carry the balance forward'],
  ])(
    'in %s is found from a checkpoint on, and from before it only where all is read',
    async (table, column, check) => {
      const { accountId, ...rest } = await harness.givenCustomer(100n);
      await charge({ accountId, ...rest });
      const changed = { table, column, where: `account_id = '${accountId}'` };
      expect(await findWhileChanged(changed, true)).toContain(check);
      await checkpointNow(false);
      expect(await findWhileChanged(changed, true)).not.toContain(check);
      expect(await findWhileChanged(changed, false)).toContain(check);
    },
  );

  it.each([
    [
      'account_funds',
      'held_nano',
      'what an account has held is the sum of its holds and of what open reviews reserve',
    ],
    ['account_day', 'spent_nano', "an account's day counts what was admitted on it"],
    ['api_key_month', 'spent_nano', "a key's month counts what was admitted in it"],
  ])('in a counter of %s is found from a checkpoint on, however old it is', async (table, column, check) => {
    await charge(await harness.givenCustomer(100n));
    await checkpointNow(false);
    expect(await findWhileChanged({ table, column, where: 'true' }, true)).toContain(check);
  });

  it('in a count of this hour is found from a checkpoint on', async () => {
    const changed = { table: 'usage_hour', column: 'requests', where: 'true' };
    await charge(await harness.givenCustomer(100n));
    expect(await findWhileChanged(changed, true)).toContain(
      'the counts by the hour are those of the usage records',
    );
  });
});

it('books with differences are no checkpoint', async () => {
  await harness.db.pool.query('DELETE FROM ledger_checkpoint');
  const changed = { table: 'account_funds', column: 'balance_nano', where: 'true' };
  await charge(await harness.givenCustomer(100n));
  expect(await findWhileChanged(changed, false)).toContain(
    'the balance of an account is the sum of its entries',
  );
  expect((await harness.db.pool.query('SELECT FROM ledger_checkpoint')).rowCount).toBe(0);
});
