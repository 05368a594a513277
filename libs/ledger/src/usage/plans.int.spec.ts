import {
  createTestDatabase,
  givenAccount,
  givenApiKey,
  givenPastCharge,
  type TestDatabase,
} from '@farebox/testing';
import { givenManyRequests, type ManyRequests } from '../../test/many-requests';
import { watchPlans, type PlanKind, type TableScan } from '../../test/plans';
import { dayAgo, sumUsageUntil } from '../../test/usage-history';
import { listEntries } from '../ledger-entries';
import { listUsage, type UsagePage } from './list-usage';
import { readUsage, type UsageQuestion } from './read-usage';
import { findUsageCursor } from './usage-records';

let db: TestDatabase;
let many: ManyRequests;
beforeAll(async () => {
  db = await createTestDatabase();
  many = await givenManyRequests(db);
});
afterAll(async () => {
  await db.drop();
});

async function scansOfReading(kind: PlanKind, question: Partial<UsageQuestion>): Promise<TableScan[]> {
  const range = { from: dayAgo(30), to: dayAgo(-1) };
  const { result, scans } = await watchPlans(db.pool, kind, (client) =>
    readUsage(client, many.accountId, { range, groupBy: 'day', ...question }),
  );
  expect(result.length).toBeGreaterThan(0);
  expect(scans.length).toBeGreaterThan(0);
  return scans;
}

async function scansOfListing(
  kind: PlanKind,
  page: Omit<UsagePage, 'limit'>,
  found = 20,
): Promise<TableScan[]> {
  const { result, scans } = await watchPlans(db.pool, kind, (client) =>
    listUsage(client, many.accountId, { ...page, limit: 20 }),
  );
  expect(result.records).toHaveLength(found);
  return scans;
}

const ofRecords = (scans: TableScan[]): TableScan[] => scans.filter(({ table }) => table === 'usage_record');
const OF_ACCOUNT = 'usage_record_account_id_created_at_id_idx';

/** How many index entries a filtered page examines, and how many records it then reads. */
function countFiltered(scans: TableScan[]): { looked: number; read: number } {
  const looked = ofRecords(scans).filter(({ index }) => index === OF_ACCOUNT);
  const read = ofRecords(scans).filter(({ index }) => index === 'usage_record_pkey');
  expect(looked.length + read.length).toBe(ofRecords(scans).length);
  expect(looked.every(({ isIndexAlone }) => isIndexAlone)).toBe(true);
  return { looked: rowsOf(looked), read: rowsOf(read) };
}

const rowsOf = (scans: TableScan[]): number => scans.reduce((sum, { rowsRead }) => sum + rowsRead, 0);

describe.each([
  ['nothing', 4],
  ['a part', 2],
  ['all', 0],
])('if %s is summed', (_name, day) => {
  beforeAll(async () => {
    await sumUsageUntil(db, dayAgo(day));
    await db.pool.query('ANALYZE');
  });

  describe.each(['custom', 'generic'] as const)('with a %s plan', (kind) => {
    it('summaries and totals read no request', async () => {
      for (const groupBy of ['hour', 'day', 'model', 'api_key'] as const) {
        for (const apiKeyId of [undefined, many.apiKeyId]) {
          for (const modelId of [undefined, 'common']) {
            const tables = new Set(
              (await scansOfReading(kind, { groupBy, apiKeyId, modelId })).map(({ table }) => table),
            );
            const counted = ['usage_hour', 'usage_sum', 'usage_open_day', 'usage_sum_state'];
            expect([...tables].filter((table) => !counted.includes(table))).toEqual([]);
          }
        }
      }
    });

    it('a page of requests reads one page by the index', async () => {
      const newest = await listUsage(db.accountPool, many.accountId, { limit: 100 });
      const after = await findUsageCursor(db.accountPool, many.accountId, newest.records.at(-1)?.id ?? '');
      for (const page of [{}, { after }, { to: dayAgo(2) }, { from: dayAgo(3), after }]) {
        const scans = await scansOfListing(kind, page);
        expect(ofRecords(scans)).toEqual([
          { table: 'usage_record', index: OF_ACCOUNT, isIndexAlone: false, rowsRead: 21 },
        ]);
      }
    });

    it('requests of one model are read only in the hours that have them', async () => {
      const common = countFiltered(await scansOfListing(kind, { modelId: 'common' }));
      // In the newest hour, which may just have begun, and the one before.
      expect(common.looked).toBeGreaterThanOrEqual(21);
      expect(common.looked).toBeLessThanOrEqual(2 * 21);
      expect(common.read).toBe(21);
      // A page for a rarely used model ends when 5,000 requests have been read for it: 900 an hour.
      const rare = countFiltered(await scansOfListing(kind, { modelId: many.rareModelId }, 5));
      expect(rare.looked).toBeGreaterThan(4_000);
      expect(rare.looked).toBeLessThan(5_000 + 900);
      expect(rare.read).toBe(6);
      expect(ofRecords(await scansOfListing(kind, { modelId: 'never used' }, 0))).toEqual([]);
    });
  });
});

it('a plan for specific values equals the generic one, so that a connection keeps it', async () => {
  const client = await db.pool.connect();
  try {
    for (const groupBy of ['hour', 'day', 'model', 'api_key'] as const) {
      const query = jest.spyOn(client, 'query');
      await readUsage(client, many.accountId, { range: { from: dayAgo(30), to: dayAgo(-1) }, groupBy });
      const { text, values } = query.mock.lastCall?.[0] as unknown as {
        text: string;
        values: (string | Date)[];
      };
      query.mockRestore();
      const given = values.map((value) =>
        client.escapeLiteral(value instanceof Date ? value.toISOString() : value),
      );
      await client.query(`PREPARE asked AS ${text}`);
      const plans: unknown[] = [];
      for (const kind of ['custom', 'generic']) {
        await client.query(`SET plan_cache_mode = force_${kind}_plan`);
        const { rows } = await client.query<Record<string, string>>(
          `EXPLAIN EXECUTE asked(${given.join(', ')})`,
        );
        // The plan nodes with their costs; conditions name values or parameters.
        plans.push(rows.map((row) => row['QUERY PLAN']).filter((line) => line?.includes('cost=')));
      }
      expect(plans[0]).toEqual(plans[1]);
      await client.query('DEALLOCATE asked');
    }
  } finally {
    client.release(true);
  }
});

it.each(['custom', 'generic'] as const)(
  'a page of the ledger finds each of its requests by the id, with a %s plan',
  async (kind) => {
    const accountId = await givenAccount(db.pool, { balanceNano: 1_000n });
    const apiKeyId = await givenApiKey(db.pool, accountId);
    for (let minute = 1; minute <= 30; minute++) {
      const at = new Date(dayAgo(2).getTime() + minute * 60_000);
      await givenPastCharge(db.pool, { accountId, apiKeyId, at, costNano: 1n });
    }
    await db.pool.query('ANALYZE');
    const { result, scans } = await watchPlans(db.pool, kind, (client) =>
      listEntries(client, accountId, { limit: 21, kind: 'charge' }),
    );
    expect(result.map(({ request }) => request?.apiKeyId)).toEqual(Array(21).fill(apiKeyId));
    expect(new Set(ofRecords(scans).map(({ index }) => index))).toEqual(new Set(['usage_record_pkey']));
    expect(rowsOf(ofRecords(scans))).toBe(21);
  },
);

it.each(['custom', 'generic'] as const)(
  'a page of requests reads no more if most accounts have made few, with a %s plan',
  async (kind) => {
    await db.pool.query(
      `INSERT INTO usage_record (id, account_id, api_key_id, model_id, price_version_id, request_id, prompt_tokens,
                                 completion_tokens, cost_nano, outcome, streamed, estimated, day, latency_ms, created_at)
       SELECT uuidv7(), uuidv7(), $1, 'common', $1, 'req_1', 1, 2, 3, 'completed', false, false, '2026-01-01', 1, now()
       FROM generate_series(1, 400)`,
      [many.apiKeyId],
    );
    await db.pool.query('ANALYZE usage_record');
    expect(rowsOf(ofRecords(await scansOfListing(kind, {})))).toBe(21);
  },
);
