import { toPublicId, uuidV7 } from '@farebox/auth';
import { insertUnchargedRequests } from '@farebox/ledger';
import { givenAccount, givenApiKey, givenPastCharge } from '@farebox/testing';
import { openAdminHarness, type AdminHarness } from '../test/admin-harness';

interface Customer {
  accountId: string;
  apiKeyId: string;
}

let harness: AdminHarness;
let ada: Customer;
let grace: Customer;
/** `req_…`, oldest first: two of Ada, two of Grace, one of Ada that was refused just now. */
let requests: string[];
beforeAll(async () => {
  harness = await openAdminHarness();
  [ada, grace] = [await givenCustomer(), await givenCustomer()];
  requests = [
    await givenCharge(ada, 1, 'small', 'near'),
    await givenCharge(ada, 2, 'large', 'far'),
    await givenCharge(grace, 3, 'small', 'near'),
    await givenCharge(grace, 4, 'large', 'far'),
    await givenRefusal(ada),
  ];
});
afterAll(() => harness.close());

async function givenCustomer(): Promise<Customer> {
  const accountId = await givenAccount(harness.pool, { balanceNano: 10_000_000_000n });
  return { accountId, apiKeyId: await givenApiKey(harness.pool, accountId) };
}

async function givenCharge(of: Customer, day: number, modelId: string, upstream: string): Promise<string> {
  const at = new Date(Date.UTC(2026, 9, day, 12));
  const id = await givenPastCharge(harness.pool, { ...of, at, modelId, costNano: 3_000n });
  await harness.pool.query(`INSERT INTO usage_route VALUES ($1, $2, 'm', 400)`, [id, upstream]);
  return toPublicId('req', id);
}

async function givenRefusal({ accountId, apiKeyId }: Customer): Promise<string> {
  const id = uuidV7();
  const error = { errorCode: 'rate_limit_error', errorMessage: 'Too many.', errorParam: null } as const;
  await insertUnchargedRequests(harness.pool, [
    {
      ...{ id, accountId, apiKeyId, requestId: 'order-17', modelId: 'small', outcome: 'refused', ...error },
      ...{ httpStatus: 429, streamed: false, latencyMs: 3, ageMs: 0 },
    },
  ]);
  return toPublicId('req', id);
}

async function list(...args: string[]): Promise<string[]> {
  const { data } = await harness.adminJson('request', 'list', ...args);
  return (data as { id: string }[]).map(({ id }) => id);
}

const newest = (...numbers: number[]) => numbers.map((number) => requests[number]);

it('lists what was charged and what was not, of all customers, newest first', async () => {
  expect(await list()).toEqual(newest(4, 3, 2, 1, 0));
  const { data } = await harness.adminJson('request', 'list', '--limit', '2');
  const email = (of: Customer) => `${of.accountId}@example.com`;
  expect(data).toMatchObject([
    {
      ...{ id: requests[4], request_id: 'order-17', email: email(ada), outcome: 'refused', cost: null },
      ...{ error_code: 'rate_limit_error', upstream: null, prompt_tokens: null, latency_ms: 3 },
    },
    {
      ...{ id: requests[3], email: email(grace), outcome: 'completed', cost: '0.000003000', upstream: 'far' },
      ...{
        account_id: toPublicId('acct', grace.accountId),
        key_public_id: toPublicId('key', grace.apiKeyId),
      },
      ...{ model: 'large', error_code: null, prompt_tokens: 10, completion_tokens: 20 },
      ended_at: Date.UTC(2026, 9, 4, 12) / 1_000,
    },
  ]);
});

it.each([
  ['a model', ['--model', 'large'], [3, 1]],
  ['an upstream', ['--upstream', 'near'], [2, 0]],
  ['charged ones', ['--outcome', 'charged'], [3, 2, 1, 0]],
  ['refused ones', ['--outcome', 'refused'], [4]],
  ['failed ones', ['--outcome', 'failed'], []],
  ['a range of time', ['--since', '2026-10-02', '--until', '2026-10-04'], [2, 1]],
  ['several at once', ['--model', 'small', '--upstream', 'near', '--since', '2026-10-02'], [2]],
])('filters: %s', async (_, args, numbers) => {
  expect(await list(...args)).toEqual(newest(...numbers));
});

it('filters: an account, by its id or its e-mail address, and a key', async () => {
  const account = toPublicId('acct', ada.accountId);
  expect(await list('--account', account)).toEqual(newest(4, 1, 0));
  expect(await list('--account', `${ada.accountId}@example.com`, '--upstream', 'far')).toEqual(newest(1));
  expect(await list('--key', toPublicId('key', grace.apiKeyId), '--model', 'small')).toEqual(newest(2));
});

it.each([
  ['of all', []],
  ['of an account', ['--account']],
])('continues in pages, %s', async (_, option) => {
  const args = option.flatMap((name) => [name, toPublicId('acct', ada.accountId)]);
  const whole = await list(...args);
  const read: string[] = [];
  for (let after: string | undefined; ;) {
    const page = await harness.adminJson(
      ...['request', 'list', ...args, '--limit', '1', ...(after === undefined ? [] : ['--after', after])],
    );
    read.push(...(page['data'] as { id: string }[]).map(({ id }) => id));
    if (page['has_more'] !== true) break;
    after = String(page['last_id']);
  }
  expect(read).toEqual(whole);
});

it('prints a table, and the command of the next page', async () => {
  const { out } = await harness.admin('request', 'list', '--model', 'large', '--limit', '1');
  const [head, row, more] = out.split('\n');
  expect(head).toMatch(/^ENDED +REQUEST +E-MAIL +MODEL +OUTCOME +COST +UPSTREAM$/);
  expect(row).toMatch(
    /^2026-10-04T12:00:00\.000Z +req_\w+ +\S+@example\.com +large +completed +0\.000003000 +far$/,
  );
  expect(more).toBe(`More: admin request list --model large --limit 1 --after ${String(requests[3])}`);
  const refused = await harness.admin('request', 'list', '--outcome', 'refused');
  expect(refused.out.split('\n')[1]).toMatch(/ small +rate_limit_error$/);
  expect((await harness.admin('request', 'list', '--model', 'none')).out).toBe('There is no such request.\n');
});

it('says what is not there, and what cannot be', async () => {
  const nobody = await harness.admin('request', 'list', '--account', 'acct_01jd0000000000000000000000');
  expect(nobody).toMatchObject({
    exitCode: 1,
    err: 'There is no account acct_01jd0000000000000000000000.\n',
  });
  const key = ['--key', toPublicId('key', ada.apiKeyId), '--account', toPublicId('acct', grace.accountId)];
  expect((await harness.admin('request', 'list', ...key)).err).toMatch(/^There is no API key key_/);
  const foreign = ['--account', toPublicId('acct', grace.accountId), '--after', String(requests[0])];
  expect((await harness.admin('request', 'list', ...foreign)).err).toBe(
    `The account has no request ${String(requests[0])} to continue after.\n`,
  );
  for (const args of [
    ['--outcome', 'lost'],
    ['--after', 'order-17'],
    ['--since', 'last week'],
  ])
    expect((await harness.admin('request', 'list', ...args)).exitCode).toBe(2);
  expect((await harness.admin('request', 'list', '--since', 'today', '--until', '7d')).exitCode).toBe(1);
});
