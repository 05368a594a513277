import { toPublicId } from '@farebox/auth';
import { givenAccount, givenApiKey, givenPastCharge } from '@farebox/testing';
import { openAdminHarness, type AdminHarness } from '../test/admin-harness';
import { runAdmin } from './program';

let harness: AdminHarness;
let accountId: string;
let apiKeyId: string;
beforeAll(async () => {
  harness = await openAdminHarness();
  accountId = await givenAccount(harness.pool, { balanceNano: 10_000_000_000n });
  apiKeyId = await givenApiKey(harness.pool, accountId);
});
afterAll(() => harness.close());

const charge = (day: number, costNano: bigint) =>
  givenPastCharge(harness.pool, {
    ...{ accountId, apiKeyId, modelId: 'small', costNano },
    at: new Date(Date.UTC(2026, 9, day, 12)),
  });
const balance = async (): Promise<unknown> =>
  (await harness.adminJson('account', 'show', toPublicId('acct', accountId)))['balance'];
const ignore = (): undefined => undefined;
const REASON = ['--reason', 'case 7', '--yes'];

it('a request is refunded once, whatever id of it is given, with the reason in the audit log', async () => {
  const id = toPublicId('req', await charge(1, 3_000n));
  const before = await balance();
  const refunded = await harness.adminJson('request', 'refund', id.replace('req_', 'chatcmpl-'), ...REASON);
  expect(refunded).toMatchObject({ data: [{ request_id: id, amount: '0.000003000', refunded: true }] });
  expect([before, await balance()]).toEqual(['9.999997000', '10.000000000']);
  const { rows } = await harness.pool.query(
    'SELECT action, target, details FROM operator_action ORDER BY id DESC LIMIT 1',
  );
  expect(rows[0]).toMatchObject({
    ...{ action: 'request refund', target: id },
    details: { amount: '0.000003000', reason: 'case 7' },
  });

  const again = await harness.admin('request', 'refund', id, ...REASON);
  expect(again).toMatchObject({ exitCode: 0, out: 'No such request has a charge to give back.\n' });
  expect(await balance()).toBe('10.000000000');
});

it('the requests of an account in a time are shown first, and refunded after a yes', async () => {
  const ids = [await charge(10, 1_000n), await charge(11, 2_000n)].map((id) => toPublicId('req', id));
  await charge(12, 4_000n);
  const account = toPublicId('acct', accountId);
  const selected = ['--account', account, '--from', '2026-10-10', '--to', '2026-10-12', '--reason', 'outage'];
  let asked = '';
  const ask = (question: string): Promise<string> => {
    asked += question;
    return Promise.resolve('n');
  };
  const refused = {
    environment: harness.environment,
    userName: () => 'grace',
    ask,
    out: ignore,
    err: ignore,
  };
  expect(await runAdmin(['request', 'refund', ...selected], refused)).toBe(1);
  for (const id of ids) expect(asked).toContain(id);
  expect(asked).toContain('\nGive back 0.000003000 dollars for 2 requests. This cannot be undone.');
  expect(await balance()).toBe('9.999993000');

  expect(await harness.admin('request', 'refund', ...selected, '--yes')).toEqual({
    ...{ exitCode: 0, err: '', out: 'Gave back 0.000003000 dollars for 2 requests.\n' },
  });
  expect(await balance()).toBe('9.999996000');
});

it('requests are selected by id, or by account and time', async () => {
  const account = toPublicId('acct', accountId);
  for (const args of [[], ['--account', account], ['req_none']]) {
    const { exitCode, out } = await harness.admin('request', 'refund', ...args, ...REASON);
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' });
  }
});
