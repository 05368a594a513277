import { createTestDatabase, givenAccount, type TestDatabase } from '@farebox/testing';
import { postLowBalanceMails } from './mail-queue';

let db: TestDatabase;
beforeEach(async () => {
  db = await createTestDatabase();
});
afterEach(() => db.drop());

const find = () => postLowBalanceMails(db.workerPool);

async function givenThreshold(
  { balanceNano, thresholdNano }: { balanceNano: bigint; thresholdNano: bigint | null },
  inviteStatus: 'active' | 'suspended' | 'invited' = 'active',
): Promise<string> {
  const accountId = await givenAccount(db.pool, { balanceNano, inviteStatus });
  await db.pool.query('UPDATE account SET low_balance_nano = $2 WHERE id = $1', [accountId, thresholdNano]);
  return accountId;
}

/** Sets the funds directly; the ledger is not under test here. */
const setFunds = (
  accountId: string,
  { balanceNano, heldNano = 0n }: { balanceNano: bigint; heldNano?: bigint },
) =>
  db.pool.query('UPDATE account_funds SET balance_nano = $2, held_nano = $3 WHERE account_id = $1', [
    accountId,
    balanceNano,
    heldNano,
  ]);

const mailed = async () =>
  (
    await db.pool.query<{ id: string }>(
      `SELECT m.account_id AS id FROM mail m JOIN outbox o USING (id)
       WHERE m.kind = 'low_balance' AND o.payload = jsonb_build_object('mailId', m.id) ORDER BY m.id`,
    )
  ).rows.map(({ id }) => id);

it('an account is mailed only below its threshold, not at it, above it or without one', async () => {
  const low = await givenThreshold({ balanceNano: 99n, thresholdNano: 100n });
  await givenThreshold({ balanceNano: 100n, thresholdNano: 100n });
  await givenThreshold({ balanceNano: 101n, thresholdNano: 100n });
  await givenThreshold({ balanceNano: 0n, thresholdNano: null });
  expect(await find()).toBe(1);
  expect(await mailed()).toEqual([low]);
});

it('held money is not available', async () => {
  const accountId = await givenThreshold({ balanceNano: 150n, thresholdNano: 100n });
  await setFunds(accountId, { balanceNano: 150n, heldNano: 51n });
  expect(await find()).toBe(1);
});

it('an account without access is not mailed', async () => {
  await givenThreshold({ balanceNano: 1n, thresholdNano: 100n }, 'suspended');
  await givenThreshold({ balanceNano: 1n, thresholdNano: 100n }, 'invited');
  expect(await find()).toBe(0);
});

it('an account is mailed once, and again only after it recovered', async () => {
  const accountId = await givenThreshold({ balanceNano: 50n, thresholdNano: 100n });
  expect([await find(), await find()]).toEqual([1, 0]);
  await setFunds(accountId, { balanceNano: 10n });
  expect(await find()).toBe(0);
  await setFunds(accountId, { balanceNano: 99n });
  expect(await find()).toBe(0);
  await setFunds(accountId, { balanceNano: 500n });
  expect(await find()).toBe(0);
  await setFunds(accountId, { balanceNano: 99n });
  expect([await find(), await find()]).toEqual([1, 0]);
  expect(await mailed()).toEqual([accountId, accountId]);
});

it('holds that come and go near the threshold cause no second mail', async () => {
  const accountId = await givenThreshold({ balanceNano: 120n, thresholdNano: 100n });
  for (let requests = 0; requests < 3; requests++) {
    await setFunds(accountId, { balanceNano: 120n - BigInt(requests), heldNano: 50n });
    await find();
    await setFunds(accountId, { balanceNano: 119n - BigInt(requests) });
    await find();
  }
  expect(await mailed()).toEqual([accountId]);
});

it('concurrent runs mail each account once', async () => {
  const ids = [];
  for (let i = 0; i < 30; i++) ids.push(await givenThreshold({ balanceNano: 1n, thresholdNano: 2n }));
  const counts = await Promise.all(Array.from({ length: 6 }, find));
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(30);
  expect((await mailed()).sort()).toEqual(ids.sort());
});

it('a mark and its mail are committed together', async () => {
  await givenThreshold({ balanceNano: 1n, thresholdNano: 2n });
  const client = await db.workerPool.connect();
  await client.query('BEGIN');
  await postLowBalanceMails(client);
  await client.query('ROLLBACK');
  client.release();
  expect(await mailed()).toEqual([]);
  expect(await find()).toBe(1);
});
