import { toPublicId } from '@farebox/auth';
import { givenAccount, givenApiKey, givenPastCharge } from '@farebox/testing';
import { openAdminHarness, type AdminHarness } from '../test/admin-harness';

let harness: AdminHarness;
beforeAll(async () => {
  harness = await openAdminHarness();
});
afterAll(async () => {
  await harness.close();
});

interface MarginReport {
  data: Record<string, unknown>[];
  totals: Record<string, unknown>;
}

const margins = (...args: string[]): Promise<MarginReport> =>
  harness.adminJson('margin', ...args) as unknown as Promise<MarginReport>;
const period = ['--from', '2026-10-01', '--to', '2026-11-01'];

it('has revenue and cost to the nano-dollar', async () => {
  const [first, second] = [
    await givenAccount(harness.pool, { balanceNano: 10_000_000_000n }),
    await givenAccount(harness.pool, { balanceNano: 10_000_000_000n }),
  ];
  const charges = [
    { accountId: first, modelId: 'small', day: 1, costNano: 1_000n, upstream: 'near', upstreamNano: 400n },
    {
      accountId: first,
      modelId: 'large',
      day: 2,
      costNano: 9_000_000_001n,
      upstream: 'far',
      upstreamNano: 9_000_000_003n,
    },
    { accountId: second, modelId: 'small', day: 31, costNano: 3_000n, upstream: 'far', upstreamNano: null },
    { accountId: second, modelId: 'small', day: 3, costNano: 500n, upstream: undefined, upstreamNano: null },
    // In another month.
    { accountId: second, modelId: 'small', day: 32, costNano: 7_000n, upstream: 'near', upstreamNano: 1n },
  ];
  const ids: string[] = [];
  for (const { accountId, modelId, day, costNano, upstream, upstreamNano } of charges) {
    const apiKeyId = await givenApiKey(harness.pool, accountId);
    const at = new Date(Date.UTC(2026, 9, day, 12));
    const id = await givenPastCharge(harness.pool, { accountId, apiKeyId, at, modelId, costNano });
    ids.push(id);
    if (upstream === undefined) continue;
    await harness.pool.query(`INSERT INTO usage_route VALUES ($1, $2, 'm', $3)`, [
      id,
      upstream,
      upstreamNano,
    ]);
  }

  const large = { requests: 1, revenue: '9.000000001', cost: '9.000000003', margin: '-0.000000002' };
  expect(await margins(...period)).toMatchObject({
    data: [
      { model: 'large', ...large, requests_without_cost: 0 },
      { model: 'small', requests: 3, revenue: '0.000004500', cost: '0.000000400', requests_without_cost: 2 },
    ],
    totals: {
      ...{ requests: 4, revenue: '9.000004501', cost: '9.000000403' },
      // That of two requests of unknown cost is no margin.
      ...{ revenue_without_cost: '0.000003500', margin: '0.000000598' },
    },
  });
  expect((await margins(...period, '--group-by', 'upstream')).data).toMatchObject([
    { upstream: 'far', requests: 2, cost: '9.000000003', requests_without_cost: 1 },
    { upstream: 'near', revenue: '0.000001000', margin: '0.000000600' },
    { upstream: null, revenue: '0.000000500', requests_without_cost: 1 },
  ]);
  expect((await margins(...period, '--group-by', 'account')).data.map((row) => row['account'])).toEqual(
    [first, second].map((id) => toPublicId('acct', id)),
  );

  // A refund reduces the revenue; the cost stays.
  await harness.pool.query('SELECT ledger_refund(gen_random_uuid(), $1)', [ids[0]]);
  expect((await margins(...period, '--group-by', 'upstream')).data[1]).toMatchObject({
    ...{ upstream: 'near', revenue: '0.000000000', cost: '0.000000400', margin: '-0.000000400' },
  });
});

it('includes the cost of abandoned requests, and of streams beyond their charges, in each grouping', async () => {
  const accountId = await givenAccount(harness.pool);
  for (const [cost, wasCharged, isRest] of [
    [20, false, false],
    [10, true, true],
    [40, true, false],
  ]) {
    await harness.pool.query(
      `INSERT INTO abandoned_request (id, account_id, api_key_id, model_id, upstream_id, upstream_model, cost_nano,
                                      was_charged, is_rest, day, created_at)
       VALUES (gen_random_uuid(), $1, gen_random_uuid(), 'small', 'near', 'm', $2, $3, $4, '2026-10-05', '2026-10-05')`,
      [accountId, cost, wasCharged, isRest],
    );
  }
  const small = (await margins(...period)).data.find(({ model }) => model === 'small');
  expect(small).toMatchObject({ abandoned_requests: 1, abandoned_cost: '0.000000030' });
  const upstreams = (await margins(...period, '--group-by', 'upstream')).data;
  expect(upstreams.find(({ upstream }) => upstream === 'near')).toMatchObject({
    abandoned_cost: '0.000000030',
  });
});

it('prints a table for a person, including unknown costs', async () => {
  const { out } = await harness.admin('margin', ...period);
  expect(out.split('\n').map((line) => line.trim().split(/ {2,}/))).toEqual([
    ['MODEL', 'REQUESTS', 'REVENUE', 'COST', 'MARGIN', 'COST NOT KNOWN', 'ABANDONED'],
    ['large', '1', '9.000000001', '9.000000003', '-0.000000002', '0', '0.000000000'],
    ['small', '3', '0.000003500', '0.000000400', '-0.000000430', '2', '0.000000030'],
    ['total', '4', '9.000003501', '9.000000403', '-0.000000432', '2', '0.000000030'],
    ['Sold below cost: large, small.'],
    [
      'The cost of 2 requests is not known: their 0.000003500 dollars are no part of the margin. Give their routes a cost in the catalogue.',
    ],
    [''],
  ]);
  expect((await harness.admin('margin', '--from', '2020-01-01', '--to', '2020-02-01')).out).toBe(
    'Nothing was charged in this period.\n',
  );
  expect((await harness.admin('margin', '--from', '2026-11-01', '--to', '2026-10-01')).exitCode).toBe(1);
});
