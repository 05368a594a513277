import { toPublicId } from '@farebox/auth';
import { givenAccount, givenSavedCard } from '@farebox/testing';
import { openAdminHarness, type AdminHarness } from '../test/admin-harness';

let harness: AdminHarness;
beforeAll(async () => {
  harness = await openAdminHarness();
});
afterAll(() => harness.close());

it('an operator sees what a customer ordered, and what became of each payment', async () => {
  const { pool } = harness;
  const accountId = await givenAccount(pool);
  const id = toPublicId('acct', accountId);
  expect((await harness.admin('account', 'top-ups', id)).out).toMatch(
    /^Automatic top-up was never ordered\./,
  );

  await givenSavedCard(pool, accountId);
  await pool.query(`SELECT top_up_switch_on($1, 5000000000, 10000000000, 30000000000, 'I agree.')`, [
    accountId,
  ]);
  const attempt = async () => {
    await pool.query('UPDATE auto_top_up SET next_attempt_at = consented_at WHERE account_id = $1', [
      accountId,
    ]);
    await pool.query('SELECT top_up_begin(10)');
    const { rows } = await pool.query<{ id: string }>('SELECT id FROM top_up_claim(10, 60000)');
    return rows[0]?.id;
  };
  await pool.query(`SELECT top_up_fail($1, 'pi_declined', 'expired_card', true, 1)`, [await attempt()]);
  await attempt();

  expect(await harness.adminJson('account', 'top-ups', id)).toMatchObject({
    ...{ account_id: id, enabled: true, off_reason: null, card: 'visa 4242' },
    ...{ threshold: '5.000000000', amount: '10.000000000', monthly_ceiling: '30.000000000' },
    charged_this_month: '10.000000000',
    payments: [
      { state: 'requested', failure: null, stripe_payment_id: null, ended_at: null },
      { state: 'failed', failure: 'expired_card', stripe_payment_id: 'pi_declined' },
    ],
  });
  const { out } = await harness.admin('account', 'top-ups', id);
  expect(out).toMatch(
    /^Automatic top-up is on: 10\.000000000 dollars below 5\.000000000, .* card visa 4242\.$/m,
  );
  expect(out).toMatch(/failed +expired_card +pi_declined/);
});
