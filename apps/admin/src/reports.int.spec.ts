import { toPublicId, uuidV7 } from '@farebox/auth';
import { insertUnchargedRequests, type EndedRequest } from '@farebox/ledger';
import { givenAccount, givenApiKey, givenPastCharge } from '@farebox/testing';
import { openAdminHarness, type AdminHarness } from '../test/admin-harness';

let harness: AdminHarness;
let ada: { accountId: string; apiKeyId: string; email: string };
let bob: { accountId: string; apiKeyId: string; email: string };
beforeAll(async () => {
  harness = await openAdminHarness();
  [ada, bob] = [await givenCustomer(), await givenCustomer()];
});
afterAll(() => harness.close());

async function givenCustomer() {
  const accountId = await givenAccount(harness.pool, { balanceNano: 10_000_000_000n });
  const apiKeyId = await givenApiKey(harness.pool, accountId);
  const { rows } = await harness.pool.query<{ email: string }>('SELECT email FROM account WHERE id = $1', [
    accountId,
  ]);
  return { accountId, apiKeyId, email: rows[0]?.email ?? '' };
}

const october = ['--since', '2026-10', '--until', '2026-11'];
const report = async (...args: string[]): Promise<unknown> =>
  (await harness.adminJson('report', ...args))['data'];

it('revenue is that of each group less its refunds, and customers come by what they paid', async () => {
  const charge = (who: typeof ada, day: number, modelId: string, costNano: bigint) => {
    const at = new Date(Date.UTC(2026, 9, day, 12));
    return givenPastCharge(harness.pool, { ...who, at, modelId, costNano });
  };
  await charge(ada, 1, 'small', 1_000n);
  const refunded = await charge(bob, 1, 'small', 5_000n);
  await charge(bob, 2, 'large', 7_000n);
  await charge(ada, 32, 'large', 9_000n);
  await harness.pool.query('SELECT ledger_refund(gen_random_uuid(), $1)', [refunded]);

  expect(await report('revenue', ...october)).toEqual([
    { day: '2026-10-01', requests: 2, prompt_tokens: 20, completion_tokens: 40, revenue: '0.000001000' },
    { day: '2026-10-02', requests: 1, prompt_tokens: 10, completion_tokens: 20, revenue: '0.000007000' },
  ]);
  expect(await report('revenue', ...october, '--group-by', 'model')).toMatchObject([
    { model: 'large', revenue: '0.000007000' },
    { model: 'small', revenue: '0.000001000' },
  ]);
  expect(await report('revenue', ...october, '--group-by', 'key')).toMatchObject([
    { key_public_id: toPublicId('key', bob.apiKeyId), email: bob.email },
    { key_public_id: toPublicId('key', ada.apiKeyId), email: ada.email },
  ]);
  expect(await report('customers', ...october, '--limit', '1')).toMatchObject([
    { account_id: toPublicId('acct', bob.accountId), email: bob.email, requests: 2, revenue: '0.000007000' },
  ]);
  const { out } = await harness.admin('report', 'customers', ...october);
  expect(out).toMatch(/^ACCOUNT +E-MAIL +REQUESTS +PROMPT TOKENS +COMPLETION TOKENS +REVENUE\n/);
});

it('refusals of today say who hit which limit', async () => {
  const refused = (who: typeof ada, more: Partial<EndedRequest> = {}): EndedRequest => ({
    ...{ id: uuidV7(), ...who, requestId: 'r', modelId: 'small', outcome: 'refused', streamed: false },
    ...{ errorCode: 'rate_limit_error', errorMessage: 'Too many.', errorParam: null, httpStatus: 429 },
    ...{ latencyMs: 1, ageMs: 0 },
    ...more,
  });
  const left = { errorCode: null, errorMessage: null, httpStatus: null, outcome: 'failed' } as const;
  await insertUnchargedRequests(harness.pool, [refused(ada), refused(ada), refused(bob), refused(bob, left)]);

  expect(await report('refusals', '--since', '1d')).toMatchObject([
    { code: 'rate_limit_error', refused: 3, failed: 0, accounts: 2 },
    { code: 'client_gone', refused: 0, failed: 1, accounts: 1 },
  ]);
  expect(
    await report('refusals', '--since', '1d', '--code', 'rate_limit_error', '--group-by', 'account'),
  ).toMatchObject([
    { account_id: toPublicId('acct', ada.accountId), email: ada.email, refused: 2 },
    { account_id: toPublicId('acct', bob.accountId), refused: 1 },
  ]);
  const hour = `${new Date().toISOString().slice(0, 'yyyy-mm-ddThh'.length).replace('T', ' ')}:00`;
  const byHour = (await report('refusals', '--since', '1d', '--group-by', 'hour')) as Record<
    string,
    unknown
  >[];
  // The hour may end just now.
  expect(byHour.at(0)).toMatchObject({ hour: expect.stringMatching(/ \d\d:00$/) as string });
  expect(String(byHour.at(-1)?.['hour']) <= hour).toBe(true);
  expect(byHour.reduce((sum, { refused: count }) => sum + Number(count), 0)).toBe(3);
});

it('upstreams are shown with their requests and times', async () => {
  const at = new Date(Date.UTC(2026, 8, 1, 12));
  for (const model of ['a', 'a', 'b']) {
    const id = await givenPastCharge(harness.pool, { ...ada, at });
    await harness.pool.query(`INSERT INTO usage_route VALUES ($1, 'near', $2, NULL)`, [id, model]);
  }
  const times = { median_ms: 1, p95_ms: 1, median_first_token_ms: null, p95_first_token_ms: null };
  const none = { broke_off: 0, timed_out: 0, client_gone: 0 };
  expect(await report('upstreams', '--since', '2026-09', '--until', '2026-10')).toEqual([
    { upstream: 'near', upstream_model: 'a', requests: 2, ...none, ...times },
    { upstream: 'near', upstream_model: 'b', requests: 1, ...none, ...times },
  ]);
});

it('a period without requests is said to be empty, and one that ends before it begins is refused', async () => {
  expect(
    (await harness.admin('report', 'revenue', '--since', '2020-01-01', '--until', '2020-01-02')).out,
  ).toBe('Nothing was charged in this period.\n');
  expect(await harness.admin('report', 'revenue', '--since', '2026-11', '--until', '2026-10')).toMatchObject({
    exitCode: 1,
    err: '--since must be before --until.\n',
  });
});
