import { toPublicId } from '@farebox/auth';
import { redeemVoucher } from '@farebox/billing';
import { givenAccount } from '@farebox/testing';
import { openAdminHarness, type AdminHarness } from '../test/admin-harness';

let harness: AdminHarness;
beforeAll(async () => {
  harness = await openAdminHarness();
});
afterAll(() => harness.close());

const TERMS = ['--amount', '10', '--expires', '2099-01-31', '--yes'];
const CODE = /^(?:[0-9A-HJKMNP-TV-Z]{4}-){4}[0-9A-HJKMNP-TV-Z]{4}$/;

it('vouchers are shown once, and later listed with who redeemed which', async () => {
  const { out } = await harness.admin('voucher', 'create', ...TERMS, '--count', '3', '--note', 'meetup');
  const lines = out.trimEnd().split('\n');
  expect(lines.slice(0, 3).every((line) => CODE.test(line))).toBe(true);
  expect(lines[3]).toMatch(
    /^They are shown only now: 3 vouchers of 10\.000000000 dollars each, 30\.000000000 in all, valid until 2099-01-31T00:00:00\.000Z\. The batch is vbat_[0-9a-z]{26}\.$/,
  );
  const batch = /vbat_[0-9a-z]{26}/.exec(out)?.[0] ?? '';

  const accountId = await givenAccount(harness.pool);
  await redeemVoucher(harness.pool, accountId, lines[1] ?? '');
  const { data } = await harness.adminJson('voucher', 'list', '--batch', batch);
  expect(data).toHaveLength(3);
  expect(JSON.stringify(data)).not.toContain(lines[0]);
  const account = toPublicId('acct', accountId);
  expect((await harness.adminJson('voucher', 'list', '--account', account))['data']).toMatchObject([
    {
      ...{
        batch_id: batch,
        state: 'redeemed',
        hint: lines[1]?.slice(-4),
        account_id: account,
        note: 'meetup',
      },
      redeemed_at: expect.any(Number) as number,
    },
  ]);
  expect((await harness.admin('voucher', 'list', '--state', 'redeemed')).out).toContain('@example.com');

  const revoked = await harness.adminJson('voucher', 'revoke', '--batch', batch);
  expect(revoked).toMatchObject({ revoked: 2, redeemed: 1 });
  expect((await harness.admin('voucher', 'revoke', '--batch', batch)).out).toContain('0 vouchers');
  const { rows } = await harness.pool.query<{ details: object }>(
    `SELECT details FROM operator_action WHERE action = 'voucher create'`,
  );
  expect(rows).toMatchObject([{ details: { amount: '10.000000000', count: 3 } }]);
  for (const code of lines.slice(0, 3)) expect(JSON.stringify(rows)).not.toContain(code);
});

it('a redeemed voucher is not revoked, and one that is missing is named', async () => {
  const { vouchers } = await harness.adminJson('voucher', 'create', ...TERMS);
  const [voucher] = vouchers as { voucher_id: string; code: string }[];
  await redeemVoucher(harness.pool, await givenAccount(harness.pool), voucher?.code ?? '');
  const answer = await harness.admin('voucher', 'revoke', voucher?.voucher_id ?? '');
  expect(answer).toMatchObject({ exitCode: 1, err: expect.stringContaining('was redeemed') as string });
  const missing = toPublicId('vch', '0190b1b1-0000-7000-8000-000000000000');
  expect((await harness.admin('voucher', 'revoke', missing)).err).toContain(
    `There is no voucher ${missing}.`,
  );
  expect((await harness.admin('voucher', 'revoke')).err).toContain('give the id of a voucher');
});

it('what would have expired already, or too many at once, is refused', async () => {
  const create = (...args: string[]) =>
    harness.admin('voucher', 'create', '--amount', '10', ...args, '--yes');
  expect((await create('--expires', '2020-01-01')).err).toContain('They would have expired already.');
  expect((await create('--expires', '2099-01-01', '--count', '1001')).exitCode).toBe(2);
  expect(
    (await harness.admin('voucher', 'create', '--amount', '10', '--expires', '2099-01-01')).exitCode,
  ).toBe(2);
});
