import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toPublicId } from '@farebox/auth';
import { applyCatalog, costOf, parseCatalog, readCatalog } from '@farebox/catalog';
import { toNanoUsd } from '@farebox/money';
import { givenAccount, givenApiKey, givenPastCharge } from '@farebox/testing';
import { openAdminHarness, type AdminHarness } from '../test/admin-harness';

const fileOf = (input: string, output: string, more = ''): string => `
upstreams: [{ id: u, base_url: "http://127.0.0.1:9/v1" }]
models:
  - id: small
    routes: [{ upstream: u, model: m }]
    input_price: ${input}
    output_price: ${output}
    cached_input_price: 0.05
    request_price: 0.001
    price_steps: [{ above_prompt_tokens: 1000, input_price: 1, output_price: 3, cached_input_price: 0.1 }]
    context_window: 4000
    max_output_tokens: 9${more}`;
const LARGE = `
  - { id: large, routes: [{ upstream: u, model: l }], input_price: 0.000001, output_price: 5, context_window: 9, max_output_tokens: 9 }`;

let harness: AdminHarness;
let folder: string;
let ada: { accountId: string; apiKeyId: string };
let bob: { accountId: string; apiKeyId: string };
let sum: bigint;
beforeAll(async () => {
  harness = await openAdminHarness();
  folder = await mkdtemp(join(tmpdir(), 'rehearsal-'));
  [ada, bob] = [await givenCustomer(), await givenCustomer()];
  await applyCatalog(harness.pool, parseCatalog(fileOf('0.1', '0.3', LARGE), {}));
  sum = await givenRequests();
});
afterAll(async () => {
  await harness.close();
  await rm(folder, { recursive: true });
});

async function givenCustomer() {
  const accountId = await givenAccount(harness.pool, { balanceNano: 10_000_000_000n });
  return { accountId, apiKeyId: await givenApiKey(harness.pool, accountId) };
}

interface Usage {
  promptTokens: number;
  completionTokens: number;
  cachedTokens?: number;
}

/** Requests charged at the prices in force, one of them less than its tokens cost, one refunded. Returns their sum. */
async function givenRequests(): Promise<bigint> {
  const { models } = await readCatalog(harness.pool);
  let charged = 0n;
  let hour = 0;
  const charge = async (who: typeof ada, modelId: string, usage: Usage, waivedNano = 0n) => {
    const price = models.get(modelId)?.price;
    if (!price) throw new Error('the model has no price');
    const costNano = toNanoUsd(costOf(price, usage) - waivedNano);
    const at = new Date(Date.UTC(2026, 9, 2, hour++));
    charged += costNano;
    const id = { priceVersionId: price.id, at, modelId, costNano };
    return givenPastCharge(harness.pool, { ...who, ...usage, ...id });
  };
  await charge(ada, 'small', { promptTokens: 999, completionTokens: 7, cachedTokens: 100 });
  await charge(ada, 'small', { promptTokens: 3_001, completionTokens: 7, cachedTokens: 1 });
  await charge(ada, 'small', { promptTokens: 500, completionTokens: 50 }, 1_234n);
  await charge(bob, 'large', { promptTokens: 1, completionTokens: 1 });
  await charge(bob, 'small', { promptTokens: 17, completionTokens: 0 });
  const refunded = await charge(bob, 'small', { promptTokens: 1_000, completionTokens: 1 });
  const { rows } = await harness.pool.query<{ cost: string }>(
    'SELECT cost_nano::text AS cost FROM usage_record WHERE id = $1',
    [refunded],
  );
  await harness.pool.query('SELECT ledger_refund(gen_random_uuid(), $1)', [refunded]);
  return charged - BigInt(rows[0]?.cost ?? 0);
}

interface Rehearsed {
  data: Record<string, unknown>[];
  totals: { charged: string; would_pay: string; difference: string };
  unknown_models: unknown[];
}

async function rehearse(file: string, ...args: string[]): Promise<Rehearsed> {
  const path = join(folder, 'catalog.yaml');
  await writeFile(path, file);
  const october = ['--since', '2026-10', '--until', '2026-11'];
  return (await harness.adminJson('catalog', 'rehearse', path, ...october, ...args)) as unknown as Rehearsed;
}

const dollars = (nano: bigint): string => `0.${nano.toString().padStart(9, '0')}`;

it('the prices in force give exactly what was charged, to each account and for each model', async () => {
  for (const by of ['account', 'model']) {
    const { data, totals } = await rehearse(fileOf('0.1', '0.3', LARGE), '--group-by', by);
    expect(totals).toMatchObject({
      charged: dollars(sum),
      would_pay: dollars(sum),
      difference: '0.000000000',
    });
    expect(data).toHaveLength(2);
    for (const one of data)
      expect(one).toMatchObject({ would_pay: one['charged'], difference: '0.000000000' });
  }
});

it('other prices give who would pay what, the greatest difference first, by the code that charges', async () => {
  const { data } = await rehearse(fileOf('0.2', '0.3', LARGE));
  expect(data.map((one) => [one['account_id'], one['requests'], one['difference']])).toEqual([
    // 899 and 500 tokens for 0.1 dollars per million more; the longer prompt has the price of its step.
    [toPublicId('acct', ada.accountId), 3, '0.000139900'],
    [toPublicId('acct', bob.accountId), 2, '0.000001700'],
  ]);
  expect((await rehearse(fileOf('0.2', '0.3', LARGE), '--group-by', 'model')).data[0]).toMatchObject({
    ...{ model: 'small', requests: 4, difference: '0.000141600' },
  });
});

it('models that the file does not have are named and left out, and refunds pay nothing', async () => {
  const rehearsed = await rehearse(fileOf('0.1', '0.3'));
  expect(rehearsed).toMatchObject({
    unknown_models: [{ model: 'large', requests: 1, charged: '0.000005001' }],
    refunded_requests: 1,
    totals: { difference: '0.000000000' },
  });
  const { out } = await harness.admin(
    'catalog',
    'rehearse',
    join(folder, 'catalog.yaml'),
    '--since',
    '2026-10',
  );
  expect(out).toContain('The file has no model large: 1 request left out, 0.000005001 dollars.\n');
  expect(out).toContain('1 refunded request left out.\n');
});

it('prints CSV for a spreadsheet', async () => {
  await rehearse(fileOf('0.1', '0.3'));
  const args = ['--since', '2026-10', '--group-by', 'model', '--csv'];
  const { out } = await harness.admin('catalog', 'rehearse', join(folder, 'catalog.yaml'), ...args);
  expect(out).toMatch(
    /^model,requests,charged,would_pay,difference\r\nsmall,4,0\.\d{9},0\.\d{9},0\.000000000\n$/,
  );
});
