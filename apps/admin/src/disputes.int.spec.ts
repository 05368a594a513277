import { toPublicId } from '@farebox/auth';
import { listCreditNotes } from '@farebox/billing';
import { readBalance, readOwed, verifyLedger } from '@farebox/ledger';
import { fromDecimalUsd } from '@farebox/money';
import { givenAccount } from '@farebox/testing';
import { openAdminHarness, type AdminHarness } from '../test/admin-harness';

let harness: AdminHarness;
let accountId: string;
let id: string;
let wire: string;
beforeAll(async () => {
  harness = await openAdminHarness();
});
beforeEach(async () => {
  accountId = await givenAccount(harness.pool);
  id = toPublicId('acct', accountId);
  wire = `wire-${accountId}`;
  await harness.adminJson('account', 'fund', id, '--amount', '10', '--reference', wire, '--yes');
});
afterAll(async () => {
  expect((await verifyLedger(harness.pool)).differences).toEqual([]);
  await harness.close();
});

const open = (reference: string, ...more: string[]) =>
  harness.admin(
    ...['dispute', 'open', '--payment', wire, '--reference', `${reference}-${accountId}`, '--yes', ...more],
  );
const openJson = async (reference: string, ...more: string[]) =>
  JSON.parse((await open(reference, ...more, '--json')).out) as Record<string, unknown>;
const close = (dispute: unknown, how: string) =>
  harness.admin('dispute', 'close', String(dispute), how, '--yes');
const list = async (...args: string[]) =>
  (await harness.adminJson('dispute', 'list', '--account', id, ...args))['data'] as Record<string, unknown>[];
const balance = async () => (await readBalance(harness.pool, accountId)).balanceNano;
const spend = (amount: string) =>
  harness.adminJson(
    ...[
      'account',
      'adjust',
      id,
      '--amount',
      `-${amount}`,
      '--reason',
      'spent',
      '--reference',
      `spent-${id}`,
      '--yes',
    ],
  );

it('a disputed payment leaves the balance, and comes back when it is won, each once', async () => {
  const opened = await openJson('case');
  expect(opened).toMatchObject({ amount: '10.000000000', owed: '0.000000000', created: true });
  expect((await open('case')).out).toContain('was opened before: nothing changed.');
  expect(await balance()).toBe(0n);
  expect(await list()).toMatchObject([
    { payment: wire, reference: `case-${accountId}`, state: 'open', opened_by: 'grace', closed_at: null },
  ]);
  expect(await harness.adminJson('account', 'show', id)).toMatchObject({ open_disputes: 1 });

  expect((await close(opened['dispute_id'], '--won')).out).toContain(
    'is won: gave 10.000000000 dollars back.',
  );
  expect((await close(opened['dispute_id'], '--won')).out).toContain('was closed before: nothing changed.');
  expect((await close(opened['dispute_id'], '--lost')).out).toContain('was closed before: nothing changed.');
  expect(await balance()).toBe(fromDecimalUsd('10'));
  expect(await list()).toEqual([]);
  expect(await list('--state', 'won')).toMatchObject([{ state: 'won' }]);
  const notes = await listCreditNotes(harness.pool, accountId, { limit: 5 });
  expect(notes.map(({ amountNano }) => amountNano)).toEqual([fromDecimalUsd('-10'), fromDecimalUsd('10')]);
});

it('what was spent of it is owed, and suspends the account; a lost one stays so', async () => {
  await spend('7');
  const { out } = await open('case', '--amount', '9');
  expect(out).toContain('Of that, 6.000000000 are owed, and the account is suspended.');
  expect(await balance()).toBe(0n);
  const [dispute] = await list();
  expect(dispute).toMatchObject({ amount: '9.000000000', owed: '6.000000000' });
  expect((await close(dispute?.['dispute_id'], '--lost')).out).toContain('is lost.');
  expect(await readOwed(harness.pool, accountId)).toBe(fromDecimalUsd('6'));
  expect(await harness.adminJson('account', 'show', id)).toMatchObject({
    ...{ invite_status: 'suspended', open_disputes: 0 },
  });
});

it('no more than the payment is taken, by any number of disputes', async () => {
  await openJson('first', '--amount', '6');
  expect((await open('second', '--amount', '4.01')).err).toContain('more than is left of the payment');
  expect((await open('first', '--amount', '5')).err).toContain('was used for another dispute');
  const attempts = await Promise.all(['a', 'b', 'c', 'd'].map((name) => open(name, '--amount', '4')));
  expect(attempts.filter(({ exitCode }) => exitCode === 0)).toHaveLength(1);
  expect(await balance()).toBe(0n);
});

it('a payment by card, a gift and an unknown payment are refused', async () => {
  await harness.pool.query(`UPDATE account SET invite_status = 'active' WHERE id = $1`, [accountId]);
  for (const [method, message] of [
    ['card', 'its disputes come from Stripe by themselves'],
    ['voucher', 'It was given, not paid'],
  ] as const) {
    wire = `${method}-${accountId}`;
    await harness.pool.query('SELECT ledger_top_up(gen_random_uuid(), $1, 5, $2, $3)', [
      accountId,
      method,
      wire,
    ]);
    expect((await open('case')).err).toContain(message);
  }
  wire = 'wire-of-nobody';
  expect((await open('case')).err).toContain('There is no payment with the reference wire-of-nobody.');
});

it("a dispute of Stripe's is won at Stripe's word alone, and may be closed as lost", async () => {
  const { dispute_id: dispute } = await openJson('case');
  for (const table of ['reversal', 'dispute'])
    await harness.pool.query(
      `UPDATE ${table} SET reference = 'stripe:dp_' || $1::text WHERE account_id = $1::uuid`,
      [accountId],
    );
  expect((await close(dispute, '--won')).err).toContain('Stripe decides about this dispute');
  await expect(
    harness.pool.query(`SELECT dispute_close_by_hand(id, 'won', 'eve') FROM dispute WHERE account_id = $1`, [
      accountId,
    ]),
  ).rejects.toMatchObject({ code: 'FB003' });
  expect((await close(dispute, '--lost')).exitCode).toBe(0);
});

it('says what is missing', async () => {
  expect((await harness.admin('dispute', 'close', toPublicId('disp', accountId))).err).toContain(
    'say --won or --lost',
  );
  expect((await close(toPublicId('disp', accountId), '--won')).err).toContain('There is no dispute disp_');
});
