import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { uuidV7 } from '@farebox/auth';
import { applyCatalog, costOf, parseCatalog, type Price } from '@farebox/catalog';
import { toDecimalUsd, toNanoUsd } from '@farebox/money';
import { givenAccount, givenApiKey, givenPastCharge } from '@farebox/testing';
import { openAdminHarness, type AdminHarness } from '../test/admin-harness';

const CATALOG = parseCatalog(
  `
upstreams: [{ id: openai, base_url: "http://near/v1" }, { id: other, base_url: "http://far/v1" }]
models:
  - id: small
    routes:
      - { upstream: openai, model: gpt-small, cost: { input_price: 1, output_price: 2, cached_input_price: 0.50 } }
      - { upstream: other, model: gpt-small }
    input_price: 2
    output_price: 4
    context_window: 4000000
    max_output_tokens: 50
  - id: large
    routes: [{ upstream: openai, model: gpt-large, cost: { input_price: 3, output_price: 15 } }]
    input_price: 6
    output_price: 30
    context_window: 4000000
    max_output_tokens: 50`,
  {},
);
/** Bills name versions of models. */
const BILLED_NAMES: Readonly<Record<string, string>> = {
  small: 'gpt-small-2026-01-31',
  large: 'gpt-large-2026-02-28',
  unknown: 'gpt-unknown',
};
const DAYS = 31;
const REQUESTS_A_DAY = 3;

interface BilledDay {
  day: number;
  modelId: string;
  requests: number;
  promptTokens: number;
  completionTokens: number;
  cachedTokens: number;
  costNano: bigint;
}

let harness: AdminHarness;
let folder: string;
let customer: { accountId: string; apiKeyId: string };
/** The bill of a provider that makes no mistake. */
let rightBill: BilledDay[];
beforeAll(async () => {
  harness = await openAdminHarness();
  folder = await mkdtemp(join(tmpdir(), 'bills-'));
  await applyCatalog(harness.pool, CATALOG);
  const accountId = await givenAccount(harness.pool, { balanceNano: 10_000_000_000n });
  customer = { accountId, apiKeyId: await givenApiKey(harness.pool, accountId) };
  rightBill = await givenMonth();
});
afterAll(async () => {
  await harness.close();
  await rm(folder, { recursive: true });
});

const costPrice = (modelId: string): Price => {
  const cost = CATALOG.models.find(({ id }) => id === modelId)?.routes[0]?.cost;
  if (!cost) throw new Error(`${modelId} has no cost`);
  return cost;
};
const at = (day: number, hour = 12): Date => new Date(Date.UTC(2026, 9, day, hour));

async function givenMonth(): Promise<BilledDay[]> {
  const bill: BilledDay[] = [];
  for (let day = 1; day <= DAYS; day++)
    for (const modelId of ['small', 'large']) {
      const [promptTokens, completionTokens, cachedTokens] = [
        1_000_000 + day,
        100_000,
        modelId === 'small' ? 400_000 : 0,
      ];
      const tokens = { promptTokens, completionTokens, cachedTokens };
      const costNano = costOf(costPrice(modelId), tokens);
      for (let i = 0; i < REQUESTS_A_DAY; i++) {
        const id = await givenPastCharge(harness.pool, { ...customer, at: at(day), modelId, ...tokens });
        await harness.pool.query(`INSERT INTO usage_route VALUES ($1, 'openai', $2, $3)`, [
          ...[id, `gpt-${modelId}`, costNano],
        ]);
      }
      bill.push({
        ...{ day, modelId, requests: REQUESTS_A_DAY, promptTokens: promptTokens * REQUESTS_A_DAY },
        ...{
          completionTokens: completionTokens * REQUESTS_A_DAY,
          cachedTokens: cachedTokens * REQUESTS_A_DAY,
        },
        costNano: costNano * BigInt(REQUESTS_A_DAY),
      });
    }
  return bill;
}

/** The usage as pages of the API, and the costs as the dashboard exports them. */
async function exportOf(bill: readonly BilledDay[]): Promise<string[]> {
  const pages = Array.from({ length: DAYS }, (_, i) => ({
    object: 'page',
    data: [
      {
        ...{ object: 'bucket', start_time: at(i + 1, 0).getTime() / 1_000 },
        results: bill
          .filter(({ day }) => day === i + 1)
          .map((one) => ({
            ...{ object: 'organization.usage.completions.result', num_model_requests: one.requests },
            ...{ input_tokens: one.promptTokens, output_tokens: one.completionTokens },
            ...{
              input_cached_tokens: one.cachedTokens,
              model: BILLED_NAMES[one.modelId],
              api_key_id: 'key_1',
            },
          })),
      },
    ],
  }));
  const costs = bill.flatMap(({ day, modelId, costNano }) =>
    // Each is billed in two lines.
    [costNano / 3n, costNano - costNano / 3n].map(
      (part, i) =>
        `${String(at(day, 0).getTime() / 1_000)},${toDecimalUsd(toNanoUsd(part))}00,usd,"${BILLED_NAMES[modelId] ?? ''}, ${['input', 'output'][i] ?? ''}"`,
    ),
  );
  const files = [join(folder, 'usage.jsonl'), join(folder, 'costs.csv')];
  await writeFile(files[0] ?? '', pages.map((page) => JSON.stringify(page)).join('\n'));
  await writeFile(
    files[1] ?? '',
    ['start_time,amount_value,amount_currency,line_item', ...costs].join('\r\n'),
  );
  return files;
}

const october = ['--upstream', 'openai', '--since', '2026-10', '--until', '2026-11'];

/** The bill of one day, changed. */
const changed = (day: number, modelId: string, change: (one: BilledDay) => Partial<BilledDay>): BilledDay => {
  const one = rightBill.find((each) => each.day === day && each.modelId === modelId);
  if (!one) throw new Error('there is no such day');
  return { ...one, ...change(one) };
};

/** Calls of this many prompt tokens each, beyond those of the day. */
const withCalls = (day: number, modelId: string, calls: number, promptTokens: number): BilledDay =>
  changed(day, modelId, (one) => ({
    requests: one.requests + calls,
    promptTokens: one.promptTokens + calls * promptTokens,
    costNano:
      one.costNano + BigInt(calls) * costOf({ ...costPrice(modelId) }, { promptTokens, completionTokens: 0 }),
  }));

it('a month of bills that are right has no difference', async () => {
  const files = await exportOf(rightBill);
  const { exitCode, out } = await harness.admin('reconcile', ...files, ...october);
  expect(out).toMatch(/^Billed (\d+\.\d+) dollars; the requests cost \1, /);
  expect(out).toContain('The bill agrees with the requests of 62 days and models.');
  expect(exitCode).toBe(0);
});

it('a month of bills with differences of each kind: each is found and named, and nothing else is', async () => {
  await harness.pool.query(
    `INSERT INTO uncharged_request (id, account_id, api_key_id, model_id, request_id, outcome, error_code, http_status,
                                    streamed, latency_ms, created_at)
     SELECT gen_random_uuid(), $1, $2, 'small', 'r', 'failed', 'upstream_timeout', 504, false, 1, $3
     FROM generate_series(1, 2)`,
    [customer.accountId, customer.apiKeyId, at(3)],
  );
  await harness.pool.query(
    `INSERT INTO abandoned_request (id, account_id, api_key_id, model_id, upstream_id, upstream_model, cost_nano,
                                    was_charged, is_rest, day, created_at)
     VALUES ($1, $2, $3, 'large', 'openai', 'gpt-large', 1500000000, false, false, $4::timestamptz::date, $4)`,
    [uuidV7(), customer.accountId, customer.apiKeyId, at(7)],
  );
  const wrong = [
    withCalls(3, 'small', 2, 500_000),
    withCalls(7, 'large', 1, 500_000),
    changed(12, 'small', ({ costNano }) => ({ costNano: costNano + costNano / 10n })),
    changed(18, 'small', ({ cachedTokens, costNano }) => ({
      cachedTokens: cachedTokens - 1_000_000,
      costNano: costNano + 500_000_000n,
    })),
    withCalls(22, 'large', 4, 100_000),
    changed(26, 'large', (one) => ({
      requests: one.requests - 1,
      promptTokens: one.promptTokens - 1_000_026,
      completionTokens: one.completionTokens - 100_000,
      costNano: one.costNano - one.costNano / 3n,
    })),
  ];
  const keys = new Set(wrong.map(({ day, modelId }) => `${String(day)} ${modelId}`));
  const bill = [...rightBill.filter(({ day, modelId }) => !keys.has(`${String(day)} ${modelId}`)), ...wrong];
  const unknown = { ...changed(29, 'small', () => ({})), modelId: 'unknown' };
  const files = await exportOf([...bill, { ...unknown, costNano: 7_000_000_000n }]);

  const { exitCode, out } = await harness.admin('reconcile', ...files, ...october, '--json');
  expect(exitCode).toBe(1);
  const report = JSON.parse(out) as { data: Record<string, unknown>[]; not_named: string };
  const of = (day: string, model: string) => ({
    day: `2026-10-${day}`,
    upstream: 'openai',
    model: `gpt-${model}`,
  });
  expect(report.data).toEqual([
    {
      ...of('03', 'small'),
      difference: 'failed_calls',
      requests: 2,
      tokens: 1_000_000,
      amount: '1.000000000',
    },
    { ...of('07', 'large'), difference: 'abandonment', requests: 1, tokens: 500_000, amount: '1.500000000' },
    {
      ...of('12', 'small'),
      difference: 'price_drift',
      requests: null,
      tokens: 3_300_036,
      amount: '0.300003600',
    },
    {
      ...of('18', 'small'),
      difference: 'cached_tokens',
      requests: null,
      tokens: -1_000_000,
      amount: '0.500000000',
    },
    {
      ...of('22', 'large'),
      difference: 'unknown_to_farebox',
      requests: 4,
      tokens: 400_000,
      amount: '1.200000000',
    },
    {
      ...of('26', 'large'),
      difference: 'unknown_to_provider',
      requests: 1,
      tokens: -1_100_026,
      amount: '-4.500078000',
    },
    {
      ...{ day: '2026-10-29', upstream: 'openai', model: 'gpt-unknown', difference: 'unknown_to_farebox' },
      ...{ requests: 3, tokens: 3_300_087, amount: '7.000000000' },
    },
  ]);
  expect(report.not_named).toBe('0.000000000');
});

it('prints a table for a person, and CSV for a spreadsheet', async () => {
  const files = await exportOf([
    ...rightBill.slice(2),
    withCalls(1, 'small', 1, 500_000),
    changed(1, 'large', () => ({})),
  ]);
  const { out } = await harness.admin('reconcile', ...files, ...october);
  expect(out).toContain(
    'DAY         UPSTREAM  MODEL      DIFFERENCE          REQUESTS  TOKENS       AMOUNT\n',
  );
  expect(out).toContain(
    '2026-10-01  openai    gpt-small  unknown_to_farebox         1  500000  0.500000000\n',
  );
  const csv = await harness.admin('reconcile', ...files, ...october, '--csv');
  expect(csv.out).toBe(
    'day,upstream,model,difference,requests,tokens,amount\r\n' +
      '2026-10-01,openai,gpt-small,unknown_to_farebox,1,500000,0.500000000\n',
  );
});

it('days can be compared together, and lines of other days are left out', async () => {
  const [first, second, ...others] = rightBill;
  if (!first || !second) throw new Error('there is no bill');
  // A call at midnight is in the next day of the provider's.
  const moved = [
    {
      ...first,
      requests: 2,
      promptTokens: first.promptTokens - 1_000,
      costNano: first.costNano - 1_000_000n,
    },
    second,
    ...others.map((one) =>
      one.day === 2 && one.modelId === 'small'
        ? { ...one, requests: 4, promptTokens: one.promptTokens + 1_000, costNano: one.costNano + 1_000_000n }
        : one,
    ),
  ];
  const files = await exportOf(moved);
  expect((await harness.admin('reconcile', ...files, ...october)).exitCode).toBe(1);
  expect((await harness.admin('reconcile', ...files, ...october, '--group-by', 'period')).exitCode).toBe(0);
  const week = [...october.slice(0, 2), '--since', '2026-10-03', '--until', '2026-10-10', '--json'];
  const { out } = await harness.admin('reconcile', ...files, ...week);
  expect(JSON.parse(out)).toMatchObject({ data: [], lines_outside: 2 * 24 + 4 * 24 });
});

it('keys and names of the provider are mapped, and a key of no upstream is refused with its file', async () => {
  const file = join(folder, 'own.csv');
  await writeFile(file, 'day,key,model,requests\n2026-10-01,key_9,their-small,3\n');
  const days = ['--since', '2026-10-01', '--until', '2026-10-02'];
  expect(await harness.admin('reconcile', file, ...days)).toMatchObject({
    exitCode: 2,
    err: `${file}: the key key_9 belongs to no upstream: give --key or --upstream.\n`,
  });
  const mapped = ['--key', 'key_9=openai', '--model', 'their-small=gpt-small'];
  const { out } = await harness.admin('reconcile', file, ...days, ...mapped, '--json');
  expect((JSON.parse(out) as { data: unknown[] }).data).toEqual([
    expect.objectContaining({ model: 'gpt-large', difference: 'unknown_to_provider', requests: 3 }),
  ]);
});
