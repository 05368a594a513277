import { DAY_MS, HOUR_MS } from '@farebox/flow';
import fc from 'fast-check';
import {
  dayAgo,
  givenUsageHistory,
  MODELS,
  sumAllUsage,
  sumUsageUntil,
  type UsageHistory,
} from '../../test/usage-history';
import { readUsage, type UsageGroup, type UsageQuestion } from './read-usage';

let history: UsageHistory;
beforeAll(async () => {
  history = await givenUsageHistory();
});
afterAll(async () => {
  await history.close();
});

const GROUP_COLUMNS: Record<UsageQuestion['groupBy'], string> = {
  hour: `extract(epoch FROM date_trunc('hour', created_at, 'UTC'))::bigint::text`,
  day: `extract(epoch FROM date_trunc('day', created_at, 'UTC'))::bigint::text`,
  model: 'model_id',
  api_key: 'api_key_id::text',
};

/** The totals of the requests themselves. */
async function countRequests({ range, groupBy, apiKeyId, modelId }: UsageQuestion): Promise<UsageGroup[]> {
  const { rows } = await history.db.pool.query<Record<string, string>>(
    `SELECT ${GROUP_COLUMNS[groupBy]} AS "group", count(*) AS requests, sum(prompt_tokens) AS prompt,
            sum(completion_tokens) AS completion, coalesce(sum(cached_tokens), 0) AS cached,
            coalesce(sum(cache_write_tokens), 0) AS written, coalesce(sum(reasoning_tokens), 0) AS reasoning,
            sum(cost_nano) AS cost
     FROM usage_record
     WHERE account_id = $1 AND created_at >= $2 AND created_at < $3 AND ($4::uuid IS NULL OR api_key_id = $4)
       AND ($5::text IS NULL OR model_id = $5)
     GROUP BY 1`,
    [history.accountId, range.from, range.to, apiKeyId ?? null, modelId ?? null],
  );
  return rows.map((row) => ({
    group: row['group'] ?? '',
    requests: Number(row['requests']),
    promptTokens: Number(row['prompt']),
    completionTokens: Number(row['completion']),
    cachedTokens: Number(row['cached']),
    cacheWriteTokens: Number(row['written']),
    reasoningTokens: Number(row['reasoning']),
    costNano: BigInt(row['cost'] ?? ''),
  })) as UsageGroup[];
}

const sorted = (groups: readonly UsageGroup[]): UsageGroup[] =>
  [...groups].sort((a, b) => (a.group < b.group ? -1 : 1));

/** An hour of the UTC day this many days ago. */
const hourOf = (days: number, hour: number): Date => new Date(dayAgo(days).getTime() + hour * HOUR_MS);

function* everyQuestion(): Generator<UsageQuestion> {
  const ranges = [
    { from: dayAgo(10), to: dayAgo(0) },
    { from: hourOf(6, 7), to: hourOf(1, 13) },
    { from: hourOf(2, 1), to: hourOf(2, 8) },
    { from: dayAgo(4), to: dayAgo(3) },
    { from: dayAgo(6), to: hourOf(2, 8) },
    { from: dayAgo(2), to: hourOf(2, 13) },
  ];
  for (const range of ranges) {
    for (const groupBy of ['hour', 'day', 'model', 'api_key'] as const) {
      for (const apiKeyId of [undefined, history.apiKeyIds[0]]) {
        for (const modelId of [undefined, MODELS[1]]) yield { range, groupBy, apiKeyId, modelId };
      }
    }
  }
}

async function expectRightAnswer(question: UsageQuestion): Promise<void> {
  const groups = await readUsage(history.db.accountPool, history.accountId, question);
  expect({ question, groups: sorted(groups) }).toEqual({
    question,
    groups: sorted(await countRequests(question)),
  });
}

async function expectRight(): Promise<void> {
  for (const question of everyQuestion()) await expectRightAnswer(question);
  const hour = fc.integer({ min: 0, max: 8 * 24 }).map((hours) => hourOf(8, hours));
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(hour, hour),
      fc.constantFrom(...(['hour', 'day', 'model', 'api_key'] as const)),
      fc.constantFrom(undefined, ...history.apiKeyIds),
      fc.constantFrom(undefined, ...MODELS),
      async ([one, other], groupBy, apiKeyId, modelId) => {
        const range = one < other ? { from: one, to: other } : { from: other, to: one };
        await expectRightAnswer({ range, groupBy, apiKeyId, modelId });
      },
    ),
    { numRuns: 60 },
  );
}

describe('usage of an account', () => {
  it('equals its requests while nothing is summed', async () => {
    await expectRight();
  });

  it.each([
    ['before the first day', 9, 0],
    ['up to the middle of a day', 5, 12],
    ['up to the end of a day', 2, 0],
    ['a few hours into a day', 2, 1],
    ['up to the end of an hour that is cut out of a day', 2, 13],
    ['up to the last hour of a day', 1, 23],
  ])('is what its requests say when it is summed %s', async (_name, day, hour) => {
    await sumUsageUntil(history.db, hourOf(day, hour));
    await expectRight();
  });

  it('equals its requests when all of it is summed', async () => {
    await sumAllUsage(history.db);
    const { rows } = await history.db.pool.query<{ days: number }>(
      `SELECT count(*)::int AS days FROM usage_sum WHERE grain = 'day'`,
    );
    expect(rows).toEqual([{ days: 8 }]);
    await expectRight();
  });

  it('is the same for days without stored hours, beside days with them', async () => {
    await history.db.pool.query('UPDATE usage_sum SET hours = NULL WHERE starts_at <= $1', [dayAgo(5)]);
    const { rows } = await history.db.pool.query<{ kept: boolean }>(
      `SELECT hours IS NOT NULL AS kept FROM usage_sum WHERE grain = 'day' AND account_id = $1 ORDER BY starts_at`,
      [history.accountId],
    );
    expect(rows.map(({ kept }) => kept)).toEqual([false, false, true, true]);
    await expectRight();
  });

  it('is empty for an empty range', async () => {
    const range = { from: dayAgo(3), to: dayAgo(3) };
    expect(await readUsage(history.db.accountPool, history.accountId, { range, groupBy: 'model' })).toEqual(
      [],
    );
    const future = { from: dayAgo(-2), to: new Date(dayAgo(-2).getTime() + DAY_MS) };
    expect(
      await readUsage(history.db.accountPool, history.accountId, { range: future, groupBy: 'day' }),
    ).toEqual([]);
  });
});
