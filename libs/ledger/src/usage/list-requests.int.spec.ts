import { uuidV7 } from '@farebox/auth';
import { type UnchargedOutcome } from '@farebox/errors';
import { DAY_MS, HOUR_MS } from '@farebox/flow';
import { givenAccount } from '@farebox/testing';
import {
  dayAgo,
  givenUsageHistory,
  MODELS,
  sumUsageUntil,
  type UsageHistory,
} from '../../test/usage-history';
import { boundRequests } from './count-requests';
import {
  findRequest,
  findRequestCursor,
  listRequests,
  readRequests,
  type OutcomeFilter,
} from './list-requests';
import type { UsagePage } from './list-usage';
import { insertUnchargedRequests, purgeUnchargedRequests, type EndedRequest } from './uncharged-requests';

let history: UsageHistory;
beforeAll(async () => {
  history = await givenUsageHistory();
  const { db, accountId, otherAccountId, apiKeyIds, chargeIds } = history;
  // At the time of each charge, to the microsecond, and in between.
  const { rows } = await db.pool.query<{ at: string }>(
    'SELECT created_at::text AS at FROM usage_record WHERE id = ANY ($1)',
    [chargeIds],
  );
  for (const [i, { at }] of rows.entries()) {
    for (const [owner, shift] of [
      ...[[accountId, '0'] as const, [accountId, '1 microsecond'] as const],
      ...[[accountId, '7 seconds'] as const, [otherAccountId, '0'] as const],
    ]) {
      await db.pool.query(
        `INSERT INTO uncharged_request (id, account_id, api_key_id, model_id, request_id, outcome, error_code,
                                        http_status, streamed, latency_ms, created_at)
         VALUES ($1, $2, $3, $4, 'req_1', $5::uncharged_outcome, 'rate_limit_error', 429, false, 1,
                 $6::timestamptz + $7::interval)`,
        [
          ...[uuidV7(), owner, apiKeyIds[i % 2], [...MODELS, null][i % 3], ['refused', 'failed'][i % 2]],
          ...[at, shift],
        ],
      );
    }
  }
});
afterAll(async () => {
  await history.close();
});

async function readAll(outcome: OutcomeFilter, page: Omit<UsagePage, 'after'>): Promise<string[]> {
  const { db, accountId } = history;
  const ids: string[] = [];
  let after: UsagePage['after'];
  for (;;) {
    const list = await listRequests(db.accountPool, accountId, outcome, { ...page, after });
    expect(list.requests.length).toBeLessThanOrEqual(page.limit);
    ids.push(...list.requests.map(({ id }) => id));
    if (!list.hasMore) return ids;
    after = list.last;
    expect((await findRequestCursor(db.accountPool, accountId, after?.id ?? ''))?.id).toBe(after?.id);
  }
}

async function expected(
  outcome: OutcomeFilter,
  { from, to, apiKeyId, modelId }: Partial<UsagePage>,
): Promise<string[]> {
  const { rows } = await history.db.pool.query<{ id: string }>(
    `SELECT id FROM (
       SELECT id, account_id, created_at, api_key_id, model_id, outcome::text FROM usage_record
       UNION ALL
       SELECT id, account_id, created_at, api_key_id, model_id, outcome::text FROM uncharged_request
     ) r
     WHERE account_id = $1 AND ($2::timestamptz IS NULL OR created_at >= $2)
       AND ($3::timestamptz IS NULL OR created_at < $3) AND ($4::uuid IS NULL OR api_key_id = $4)
       AND ($5::text IS NULL OR model_id = $5) AND ($6 = 'all' OR outcome = $6)
     ORDER BY created_at DESC, id DESC`,
    [history.accountId, from ?? null, to ?? null, apiKeyId ?? null, modelId ?? null, outcome],
  );
  return rows.map(({ id }) => id);
}

it.each<OutcomeFilter>(['all', 'refused', 'failed', 'completed', 'client_gone'])(
  'the pages of %s have each request once, in the order of time, under every filter',
  async (outcome) => {
    for (const range of [{}, { from: dayAgo(5), to: dayAgo(1) }]) {
      for (const apiKeyId of [undefined, history.apiKeyIds[0]]) {
        for (const modelId of [undefined, MODELS[1]]) {
          for (const limit of [1, 2, 7, 100]) {
            const page = { ...range, apiKeyId, modelId, limit };
            expect(await readAll(outcome, page)).toEqual(await expected(outcome, page));
          }
        }
      }
    }
  },
);

it.each<OutcomeFilter>(['all', 'refused', 'failed', 'completed'])(
  'all requests of %s are read in parts, and bounded without reading them, under every filter',
  async (outcome) => {
    const { db, accountId, apiKeyIds } = history;
    for (const range of [{}, { from: dayAgo(5), to: dayAgo(1) }, { to: dayAgo(9) }]) {
      for (const apiKeyId of [undefined, apiKeyIds[0]]) {
        for (const modelId of [undefined, MODELS[1], 'unused']) {
          const filter = { ...range, apiKeyId, modelId };
          const read: string[] = [];
          for await (const part of readRequests(db.accountPool, accountId, outcome, filter))
            read.push(...part.map(({ id }) => id));
          expect(read).toEqual(await expected(outcome, filter));
          const bound = await boundRequests(db.accountPool, accountId, outcome, { ...filter, most: 1_000 });
          // All charged requests of this history were completed.
          expect(bound).toBe(read.length);
        }
      }
    }
  },
);

it('a bound counts whole hours, refused requests no further than needed, and none before its cursor', async () => {
  const { db, accountId, chargeIds } = history;
  const bound = (outcome: OutcomeFilter, range: Partial<UsagePage>, most = 1_000) =>
    boundRequests(db.accountPool, accountId, outcome, { ...range, most });
  // Three charges are in the hour from seven, one of them in its first ten minutes.
  const seven = dayAgo(6).getTime() + 7 * HOUR_MS;
  const range = { from: new Date(seven), to: new Date(seven + 150_000) };
  expect(await expected('completed', range)).toHaveLength(1);
  expect(await bound('charged', range)).toBe(3);
  expect(await bound('refused', {}, 5)).toBe(5);
  const after = await findRequestCursor(db.accountPool, accountId, chargeIds[3] ?? '');
  expect(await bound('charged', { after })).toBe(4);
});

it('the pages of all requests are complete even if hours are summed and a model has few charged ones', async () => {
  await sumUsageUntil(history.db, dayAgo(1));
  const page = { modelId: MODELS[1], limit: 2 };
  expect(await readAll('all', page)).toEqual(await expected('all', page));
});

function given(outcome: UnchargedOutcome, more: Partial<EndedRequest> = {}): EndedRequest {
  const error = { errorMessage: 'Too many.', errorParam: null };
  const told = { errorCode: 'rate_limit_error', ...error, httpStatus: 429 } as const;
  return {
    ...{ id: uuidV7(), accountId: history.accountId, apiKeyId: history.apiKeyIds[0] ?? '', modelId: null },
    ...{ requestId: 'req_2', outcome, ...told, streamed: true, latencyMs: 5, ageMs: 0, ...more },
  };
}

it('a gateway records many at once, by the clock of the database, and their account finds each of them', async () => {
  const { db } = history;
  const accountId = await givenAccount(db.pool);
  const refused = given('refused', { accountId, ageMs: 60_000 });
  const gone = given('failed', { accountId, errorCode: null, httpStatus: null, modelId: 'small' });
  await insertUnchargedRequests(db.servicePool, [refused, gone]);
  const { requests } = await listRequests(db.accountPool, accountId, 'all', { limit: 10 });
  expect(requests.map(({ id }) => id)).toEqual([gone.id, refused.id]);
  expect(await findRequest(db.accountPool, accountId, gone.id)).toMatchObject({
    ...{
      outcome: 'failed',
      errorCode: null,
      httpStatus: null,
      modelId: 'small',
      streamed: true,
      latencyMs: 5,
    },
  });
  const agesMs = requests.map(({ createdAt }) => Date.now() - createdAt.getTime());
  expect(Number(agesMs[1]) - Number(agesMs[0])).toBeGreaterThan(59_000);
});

it('a long message, and characters that the database does not take, keep no request from being recorded', async () => {
  const { db } = history;
  const accountId = await givenAccount(db.pool);
  const odd = given('refused', { accountId, errorMessage: 'x'.repeat(1_000), errorParam: 'a\0b' });
  const whole = given('refused', { accountId, errorMessage: null, errorParam: null });
  await insertUnchargedRequests(db.servicePool, [odd, whole]);
  expect(await findRequest(db.accountPool, accountId, odd.id)).toMatchObject({
    errorMessage: `${'x'.repeat(500)}…`,
    errorParam: 'a\uFFFDb',
  });
  expect(await findRequest(db.accountPool, accountId, whole.id)).toMatchObject({
    errorMessage: null,
    errorParam: null,
  });
});

it('an account does not find requests of another', async () => {
  const { db, accountId, otherAccountId } = history;
  const request = given('refused', { accountId: otherAccountId });
  await insertUnchargedRequests(db.servicePool, [request]);
  expect(await findRequest(db.accountPool, accountId, request.id)).toBeUndefined();
  expect(await findRequestCursor(db.accountPool, accountId, request.id)).toBeUndefined();
  expect(await findRequest(db.accountPool, otherAccountId, request.id)).toBeDefined();
});

it('the worker deletes records older than the retention, and nothing else', async () => {
  const { db } = history;
  const accountId = await givenAccount(db.pool);
  const aged = (days: number): EndedRequest => {
    const hex = (Date.now() - days * DAY_MS).toString(16).padStart(12, '0');
    const id = `${hex.slice(0, 8)}-${hex.slice(8)}-7${uuidV7().slice(15)}`;
    return given('refused', { accountId, id, ageMs: days * DAY_MS });
  };
  const [old, older, young] = [aged(31), aged(40), aged(29)];
  await insertUnchargedRequests(db.servicePool, [old, older, young]);
  expect(await purgeUnchargedRequests(db.workerPool, { days: 30, batch: 1 })).toBe(2);
  expect(await purgeUnchargedRequests(db.workerPool, { days: 30 })).toBe(0);
  const { requests } = await listRequests(db.accountPool, accountId, 'all', { limit: 10 });
  expect(requests.map(({ id }) => id)).toEqual([young.id]);
});
