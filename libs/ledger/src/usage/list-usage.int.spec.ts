import { HOUR_MS } from '@farebox/flow';
import { givenAccount, givenApiKey, givenPastCharge } from '@farebox/testing';
import {
  dayAgo,
  givenUsageHistory,
  MODELS,
  sumUsageUntil,
  type UsageHistory,
} from '../../test/usage-history';
import { listUsage, type UsagePage } from './list-usage';
import { findUsageCursor } from './usage-records';

let history: UsageHistory;
beforeAll(async () => {
  history = await givenUsageHistory();
});
afterAll(async () => {
  await history.close();
});

/** The ids of all records that match a filter, page by page. */
async function readAll(page: Omit<UsagePage, 'after'>): Promise<string[]> {
  const ids: string[] = [];
  let after: UsagePage['after'];
  for (;;) {
    const { records, hasMore } = await listUsage(history.db.accountPool, history.accountId, {
      ...page,
      after,
    });
    ids.push(...records.map(({ id }) => id));
    const last = records.at(-1);
    if (!hasMore) return ids;
    expect(last).toBeDefined();
    after = last && (await findUsageCursor(history.db.accountPool, history.accountId, last.id));
  }
}

async function expected({ from, to, apiKeyId, modelId }: Partial<UsagePage>): Promise<string[]> {
  const { rows } = await history.db.pool.query<{ id: string }>(
    `SELECT id FROM usage_record
     WHERE account_id = $1 AND ($2::timestamptz IS NULL OR created_at >= $2)
       AND ($3::timestamptz IS NULL OR created_at < $3) AND ($4::uuid IS NULL OR api_key_id = $4)
       AND ($5::text IS NULL OR model_id = $5)
     ORDER BY created_at DESC, id DESC`,
    [history.accountId, from ?? null, to ?? null, apiKeyId ?? null, modelId ?? null],
  );
  return rows.map(({ id }) => id);
}

function* everyPage(): Generator<Omit<UsagePage, 'after'>> {
  const ranges = [
    {},
    { from: dayAgo(2) },
    { to: new Date(dayAgo(2).getTime() + 7 * HOUR_MS + 16 * 60_000) },
    { from: new Date(dayAgo(6).getTime() + 7 * HOUR_MS + 3 * 60_000), to: dayAgo(1) },
  ];
  for (const range of ranges) {
    for (const apiKeyId of [undefined, history.apiKeyIds[0]]) {
      for (const modelId of [undefined, MODELS[1]]) {
        for (const limit of [1, 3, 100]) yield { ...range, apiKeyId, modelId, limit };
      }
    }
  }
}

describe('the list of requests', () => {
  it.each([
    ['nothing', 9],
    ['a part', 3],
    ['all', 0],
  ])('has each of them once, newest first, when %s is summed', async (_name, day) => {
    await sumUsageUntil(history.db, dayAgo(day));
    for (const page of everyPage()) {
      expect({ page, ids: await readAll(page) }).toEqual({ page, ids: await expected(page) });
    }
  });

  it('distinguishes requests of the same time by id', async () => {
    const accountId = await givenAccount(history.db.pool, { balanceNano: 1_000n });
    const apiKeyId = await givenApiKey(history.db.pool, accountId);
    const at = new Date(dayAgo(0).getTime() + 1);
    const ids = [];
    for (let i = 0; i < 3; i++) ids.push(await givenPastCharge(history.db.pool, { accountId, apiKeyId, at }));
    for (const filter of [{}, { apiKeyId }]) {
      const first = await listUsage(history.db.accountPool, accountId, { ...filter, limit: 2 });
      expect(first.records.map(({ id }) => id)).toEqual([ids[2], ids[1]]);
      const after = await findUsageCursor(history.db.accountPool, accountId, ids[1] ?? '');
      const second = await listUsage(history.db.accountPool, accountId, { ...filter, limit: 2, after });
      expect(second).toMatchObject({ records: [{ id: ids[0] }], hasMore: false });
    }
  });

  it('accepts no cursor of another account', async () => {
    const [id = ''] = history.chargeIds;
    expect(await findUsageCursor(history.db.accountPool, history.otherAccountId, id)).toBeUndefined();
    expect(await findUsageCursor(history.db.accountPool, history.accountId, id)).toMatchObject({ id });
  });
});
