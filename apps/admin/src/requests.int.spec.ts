import { toPublicId, uuidV7 } from '@farebox/auth';
import { insertUnchargedRequests } from '@farebox/ledger';
import { givenAccount, givenApiKey, givenPastCharge } from '@farebox/testing';
import { openAdminHarness, type AdminHarness } from '../test/admin-harness';

let harness: AdminHarness;
let accountId: string;
let apiKeyId: string;
beforeAll(async () => {
  harness = await openAdminHarness();
  accountId = await givenAccount(harness.pool, { balanceNano: 10_000_000_000n });
  apiKeyId = await givenApiKey(harness.pool, accountId);
});
afterAll(() => harness.close());

const show = (...args: string[]) => harness.adminJson('request', 'show', ...args);

it('a charged request is shown with its upstream, its charge and its refund, by any of its ids', async () => {
  const at = new Date(Date.UTC(2026, 10, 2, 12));
  const id = await givenPastCharge(harness.pool, {
    accountId,
    apiKeyId,
    at,
    modelId: 'small',
    costNano: 3_000n,
  });
  await harness.pool.query(`INSERT INTO usage_route VALUES ($1, 'near', 'small-1', 400)`, [id]);
  const found = await show(toPublicId('req', id));
  expect(found).toMatchObject({
    ...{ id: toPublicId('req', id), state: 'charged', account_id: toPublicId('acct', accountId) },
    ...{
      key_public_id: toPublicId('key', apiKeyId),
      model: 'small',
      upstream: 'near',
      upstream_model: 'small-1',
    },
    ...{ cost: '0.000003000', upstream_cost: '0.000000400', outcome: 'completed', review: null },
    entries: [{ type: 'charge', amount: '0.000003000' }],
  });
  for (const prefix of ['chatcmpl-', 'resp_', 'msg_'])
    expect(await show(toPublicId('req', id).replace('req_', prefix))).toEqual(found);

  await harness.pool.query('SELECT ledger_refund(gen_random_uuid(), $1)', [id]);
  const after = await show(toPublicId('req', id));
  expect(after).toMatchObject({ state: 'refunded', entries: [{ type: 'charge' }, { type: 'refund' }] });
  const { out } = await harness.admin('request', 'show', toPublicId('req', id));
  expect(out).toMatch(/^req_\w+ {2}refunded/);
  expect(out).toMatch(/\nupstream +near\/small-1, cost 0\.000000400 dollars\n/);
  expect(out).toMatch(/\nrefund +0\.000003000 dollars at /);
});

it('a refused request is shown with its error, by the id that its client chose', async () => {
  const request = { id: uuidV7(), accountId, apiKeyId, requestId: 'order-17', modelId: 'small' };
  const error = {
    errorCode: 'rate_limit_error',
    errorMessage: 'Too many.',
    errorParam: null,
    httpStatus: 429,
  } as const;
  await insertUnchargedRequests(harness.pool, [
    { ...request, ...error, outcome: 'refused', streamed: false, latencyMs: 3, ageMs: 0 },
  ]);
  const account = toPublicId('acct', accountId);
  expect(await show('order-17', '--account', account)).toMatchObject({
    ...{ request_id: 'order-17', state: 'refused', upstream: null, cost: null, entries: [] },
    ...{ error_code: 'rate_limit_error', error_message: 'Too many.', http_status: 429 },
  });
  const { out } = await harness.admin('request', 'show', 'order-17', '--account', account);
  expect(out).toMatch(/^req_\w+ {2}refused, "order-17" to its client\n/);
  expect(out).toMatch(/\nerror +429 rate_limit_error: Too many\.\n/);
});

it('a request that does not exist, or is another account’s, is not found', async () => {
  const other = toPublicId('acct', await givenAccount(harness.pool));
  expect(await harness.admin('request', 'show', 'order-17')).toMatchObject({
    exitCode: 1,
    err: "There is no request order-17. To search by the client's own id, give --account.\n",
  });
  expect(await harness.admin('request', 'show', 'order-17', '--account', other)).toMatchObject({
    exitCode: 1,
    err: 'There is no request order-17.\n',
  });
});
