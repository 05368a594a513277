import { uuidV7 } from '@farebox/auth';
import { createTestDatabase, givenAccount, givenApiKey, type TestDatabase } from '@farebox/testing';
import { claimDeliveries, findReachedLimits, postTestEvent, purgeWebhookEvents } from './delivery-queue';
import {
  countDisabledOfOperators,
  createEndpoint,
  deleteEndpoint,
  updateEndpoint,
  type WebhookOwner,
} from './endpoints';

let db: TestDatabase;
beforeEach(async () => {
  db = await createTestDatabase();
});
afterEach(() => db.drop());

async function givenEndpoint(owner: WebhookOwner, eventTypes: string[] | null = null): Promise<string> {
  const wanted = { url: 'https://hooks.example.com/', description: null, eventTypes, keyVersion: 1 };
  const endpoint = await createEndpoint(owner, db.pool, wanted, 10);
  if (!endpoint) throw new Error('the endpoint was not created');
  return endpoint.id;
}

/** The events of an endpoint, in order. */
async function eventsOf(endpointId: string): Promise<[type: string, data: unknown][]> {
  const { rows } = await db.pool.query<{ type: string; data: unknown }>(
    `SELECT type, data FROM webhook_delivery JOIN webhook_event ON id = event_id WHERE endpoint_id = $1 ORDER BY id`,
    [endpointId],
  );
  return rows.map(({ type, data }) => [type, data]);
}
const typesOf = async (endpointId: string) => (await eventsOf(endpointId)).map(([type]) => type);

async function noteKeyEvent(accountId: string, apiKeyId: string, action: string): Promise<void> {
  await db.accountPool.query(
    `INSERT INTO credential_event (account_id, credential, credential_id, action, actor_kind, actor)
     VALUES ($1, 'api_key', $2, $3::credential_action, 'session', 'sess_1')`,
    [accountId, apiKeyId, action],
  );
}

it('a payment is an event for its account and for the operators, and for nobody else', async () => {
  const [ada, eve] = [await givenAccount(db.pool), await givenAccount(db.pool)];
  const [ofAda, ofEve, ofOperators] = [
    await givenEndpoint(ada),
    await givenEndpoint(eve),
    await givenEndpoint(null),
  ];
  const fundingId = uuidV7();
  await db.pool.query(`SELECT ledger_top_up($1, $2, 5000000000, 'card', 'stripe:1')`, [fundingId, ada]);
  const expected = [
    ['funding.credited', { funding_id: fundingId, method: 'card', amount_nano: '5000000000' }],
  ];
  expect(await eventsOf(ofAda)).toEqual(expected);
  expect(await eventsOf(ofOperators)).toEqual(expected);
  expect(await eventsOf(ofEve)).toEqual([]);
});

it('an event is written with its cause, or not at all', async () => {
  const ada = await givenAccount(db.pool);
  const endpoint = await givenEndpoint(ada);
  const client = await db.pool.connect();
  await client.query('BEGIN');
  await client.query(`SELECT ledger_top_up($1, $2, 1, 'card', 'stripe:1')`, [uuidV7(), ada]);
  await client.query('ROLLBACK');
  client.release();
  expect(await eventsOf(endpoint)).toEqual([]);
});

it('an event that nobody wants is not written', async () => {
  const ada = await givenAccount(db.pool, { balanceNano: 1n });
  await givenEndpoint(ada, ['invoice.issued']);
  const off = await givenEndpoint(ada);
  await updateEndpoint(ada, db.pool, off, { isOn: false });
  await db.pool.query(`SELECT ledger_top_up($1, $2, 1, 'card', 'stripe:1')`, [uuidV7(), ada]);
  expect((await db.pool.query('SELECT FROM webhook_event')).rowCount).toBe(0);
});

it('keys that are created, changed, rotated and revoked are events, except for that of the playground', async () => {
  const ada = await givenAccount(db.pool);
  const endpoint = await givenEndpoint(ada);
  const [key, ofPlayground] = [await givenApiKey(db.pool, ada), await givenApiKey(db.pool, ada)];
  await db.pool.query('UPDATE api_key SET is_playground = true WHERE id = $1', [ofPlayground]);
  for (const action of ['create', 'change', 'rotate', 'revoke']) {
    await noteKeyEvent(ada, key, action);
    await noteKeyEvent(ada, ofPlayground, action);
  }
  expect(await typesOf(endpoint)).toEqual([
    'api_key.created',
    'api_key.changed',
    'api_key.rotated',
    'api_key.revoked',
  ]);
  expect((await eventsOf(endpoint))[0]?.[1]).toEqual({ key_id: key, name: 'test', hint: 'abcd' });
});

it('a payment that is taken back is an event, and the suspension that follows from it', async () => {
  const ada = await givenAccount(db.pool, { balanceNano: 1n });
  const endpoint = await givenEndpoint(ada);
  await db.pool.query(`SELECT ledger_reverse($1, 5, 'disputed', 'dp_1', 'stripe')`, [ada]);
  await db.pool.query(`UPDATE account SET invite_status = 'active' WHERE id = $1`, [ada]);
  expect(await eventsOf(endpoint)).toEqual([
    ['funding.reversed', { reason: 'disputed', amount_nano: '5' }],
    ['account.suspended', {}],
    ['account.reinstated', {}],
  ]);
});

it('a low balance is an event, once until it recovers', async () => {
  const ada = await givenAccount(db.pool, { balanceNano: 3n });
  const endpoint = await givenEndpoint(ada);
  await db.pool.query('UPDATE account SET low_balance_nano = 5 WHERE id = $1', [ada]);
  for (let i = 0; i < 2; i++) await db.workerPool.query('SELECT mail_find_low_balances(10)');
  expect(await eventsOf(endpoint)).toEqual([['balance.low', { available_nano: '3', threshold_nano: '5' }]]);
});

it('a review that reserves money of a customer is an event for them, and every review for the operators', async () => {
  const ada = await givenAccount(db.pool);
  const key = await givenApiKey(db.pool, ada);
  const [ofAda, ofOperators] = [await givenEndpoint(ada), await givenEndpoint(null)];
  for (const [reason, reserved] of [
    ['charge_failed', 7],
    ['gateway_lost', 0],
  ])
    await db.pool.query(
      `INSERT INTO billing_review (id, account_id, api_key_id, model_id, request_id, reason, held_nano, reserved_nano, created_at)
       VALUES (gen_random_uuid(), $1, $2, 'small', 'req_1', $3::review_reason, 9, $4, now())`,
      [ada, key, reason, reserved],
    );
  await db.pool.query('UPDATE billing_review SET request_count = 2');
  await db.pool.query(
    `UPDATE billing_review SET state = 'waived', reserved_nano = 0, resolved_at = now(), resolved_by = 'ada'`,
  );
  expect(await eventsOf(ofAda)).toMatchObject([
    ['review.opened', { key_id: key, model: 'small', state: 'open', amount_nano: '7' }],
    ['review.resolved', { key_id: key, model: 'small', state: 'waived', amount_nano: '7' }],
  ]);
  expect(await typesOf(ofOperators)).toEqual([
    ...['review.opened', 'review.opened', 'review.resolved', 'review.resolved'],
  ]);
});

describe('the monthly limit of a key', () => {
  async function givenSpent(accountId: string, spentNano: bigint): Promise<string> {
    const key = await givenApiKey(db.pool, accountId, { monthlySpendLimitNano: 1_000n });
    await db.pool.query(
      `INSERT INTO api_key_month (api_key_id, month, spent_nano)
       VALUES ($1, date_trunc('month', now() AT TIME ZONE 'UTC')::date, $2)`,
      [key, spentNano],
    );
    return key;
  }
  const percentsOf = async (endpointId: string) =>
    (await eventsOf(endpointId)).map(([, data]) => (data as { percent: number }).percent);

  it.each([
    [799n, []],
    [800n, [80]],
    [949n, [80]],
    [950n, [80, 95]],
    [1_000n, [80, 95]],
  ])('with %s of 1000 spent, %j percent are told of, once', async (spentNano, percents) => {
    const ada = await givenAccount(db.pool);
    const endpoint = await givenEndpoint(ada);
    await givenSpent(ada, spentNano);
    for (let i = 0; i < 2; i++) await findReachedLimits(db.workerPool);
    expect(await percentsOf(endpoint)).toEqual(percents);
  });

  it('is told of again after it was raised', async () => {
    const ada = await givenAccount(db.pool);
    const endpoint = await givenEndpoint(ada);
    const key = await givenSpent(ada, 800n);
    await findReachedLimits(db.workerPool);
    await db.pool.query('UPDATE api_key SET monthly_spend_limit_nano = 999 WHERE id = $1', [key]);
    await findReachedLimits(db.workerPool);
    expect(await percentsOf(endpoint)).toEqual([80, 80]);
  });

  it('is not looked at without an endpoint that wants it', async () => {
    const [ada, eve] = [await givenAccount(db.pool), await givenAccount(db.pool)];
    await givenEndpoint(ada, ['invoice.issued']);
    await givenEndpoint(eve);
    await givenSpent(ada, 1_000n);
    await findReachedLimits(db.workerPool);
    expect((await db.pool.query('SELECT FROM webhook_event')).rowCount).toBe(0);
  });
});

describe('a daily cap or a limit policy', () => {
  /** An account with 100 requests and $ 1 a day, whose key has used this much today. */
  async function givenUse(requests: number, costNano: bigint): Promise<{ ada: string; key: string }> {
    const ada = await givenAccount(db.pool);
    const key = await givenApiKey(db.pool, ada);
    await db.pool.query(
      'UPDATE account SET daily_request_cap = 100, daily_spend_cap_nano = 1000000000 WHERE id = $1',
      [ada],
    );
    await db.pool.query(
      `INSERT INTO account_day (account_id, day, requests, spent_nano)
       VALUES ($1, (now() AT TIME ZONE 'UTC')::date, $2, $3)`,
      [ada, requests, costNano],
    );
    await db.pool.query(
      `INSERT INTO usage_hour (account_id, hour, api_key_id, model_id, requests, prompt_tokens, completion_tokens, cost_nano)
       VALUES ($1, date_trunc('hour', now()), $2, 'small', $3, $3 * 10, 0, $4)`,
      [ada, key, requests, costNano],
    );
    await usedAgo(key, '0 s');
    return { ada, key };
  }

  async function usedAgo(key: string, ago: string): Promise<void> {
    await db.pool.query(
      `INSERT INTO api_key_month (api_key_id, month, last_used_at)
       VALUES ($1, date_trunc('month', now() AT TIME ZONE 'UTC')::date, now() - $2::interval)
       ON CONFLICT (api_key_id, month) DO UPDATE SET last_used_at = excluded.last_used_at`,
      [key, ago],
    );
  }

  interface Policy {
    measure: string;
    per: string | null;
    most: number;
    accountId?: string;
    apiKeyId?: string;
    modelId?: string;
  }

  async function givenPolicy({ measure, per, most, accountId, apiKeyId, modelId }: Policy): Promise<void> {
    await db.pool.query(
      `INSERT INTO limit_policy (id, measure, per, most, account_id, api_key_id, model_id)
       VALUES (gen_random_uuid(), $1::limit_measure, $2::limit_window, $3, $4, $5, $6)`,
      [measure, per, most, accountId, apiKeyId, modelId],
    );
  }

  /** The reached limits that an endpoint is sent, as `measure per percent`. */
  const reachedOf = async (endpointId: string) =>
    (await eventsOf(endpointId)).map(([type, data]) => {
      expect(type).toBe('usage_limit.reached');
      const { measure, per, percent } = data as { measure: string; per: string; percent: number };
      return `${measure} ${per} ${String(percent)}`;
    });

  it.each([
    [79, 949_999_999n, ['spend day 80']],
    [80, 950_000_000n, ['requests day 80', 'spend day 80', 'spend day 95']],
    [95, 0n, ['requests day 80', 'requests day 95']],
    [10, 0n, []],
  ])('with %s of 100 requests and %s of $ 1, %j is sent, once', async (requests, costNano, sent) => {
    const { ada } = await givenUse(requests, costNano);
    const endpoint = await givenEndpoint(ada);
    for (let i = 0; i < 2; i++) await findReachedLimits(db.workerPool);
    expect((await reachedOf(endpoint)).sort()).toEqual(sent);
  });

  it('is sent with its key, its model and the end of its window', async () => {
    const { ada, key } = await givenUse(10, 0n);
    const endpoint = await givenEndpoint(ada);
    await givenPolicy({ measure: 'tokens', per: 'month', most: 125, apiKeyId: key, modelId: 'small' });
    await findReachedLimits(db.workerPool);
    const end = `SELECT extract(epoch FROM date_trunc('month', now(), 'UTC') AT TIME ZONE 'UTC' + interval '1 month')::int AS at`;
    const { rows } = await db.pool.query<{ at: number }>(end);
    expect(await eventsOf(endpoint)).toEqual([
      [
        'usage_limit.reached',
        {
          ...{ measure: 'tokens', per: 'month', key_id: key, model: 'small', percent: 80 },
          ...{ most: '125', used: '100', ends_at: rows[0]?.at },
        },
      ],
    ]);
  });

  it('of a minute, and of concurrency, is not sent', async () => {
    const { ada } = await givenUse(10, 0n);
    const endpoint = await givenEndpoint(ada);
    await givenPolicy({ measure: 'requests', per: 'minute', most: 1, accountId: ada });
    await givenPolicy({ measure: 'concurrency', per: null, most: 1, accountId: ada });
    await givenPolicy({ measure: 'requests', per: 'five_hours', most: 12, accountId: ada });
    await findReachedLimits(db.workerPool);
    expect(await reachedOf(endpoint)).toEqual(['requests five_hours 80']);
  });

  it('is not looked at for an hour without a request, or without an endpoint that wants it', async () => {
    const [idle, unasked] = [await givenUse(100, 0n), await givenUse(100, 0n)];
    await givenEndpoint(idle.ada);
    await givenEndpoint(unasked.ada, ['invoice.issued']);
    await usedAgo(idle.key, '1 hour');
    await findReachedLimits(db.workerPool);
    expect((await db.pool.query('SELECT FROM webhook_event')).rowCount).toBe(0);
  });
});

it('a test is an event of one endpoint alone', async () => {
  const ada = await givenAccount(db.pool);
  const [tested, other] = [await givenEndpoint(ada, ['invoice.issued']), await givenEndpoint(ada)];
  expect(await postTestEvent(ada, db.accountPool, tested)).toBeDefined();
  expect(await eventsOf(tested)).toEqual([['webhook.test', { webhook_id: tested }]]);
  expect(await eventsOf(other)).toEqual([]);
  const eve = await givenAccount(db.pool);
  expect(await postTestEvent(eve, db.accountPool, tested)).toBeUndefined();
  await updateEndpoint(ada, db.pool, tested, { isOn: false });
  expect(await postTestEvent(ada, db.accountPool, tested)).toBeUndefined();
});

it('a deleted endpoint is sent nothing that waits', async () => {
  const ada = await givenAccount(db.pool);
  const endpoint = await givenEndpoint(ada);
  await postTestEvent(ada, db.accountPool, endpoint);
  await deleteEndpoint(ada, db.accountPool, endpoint);
  const limits = { busyIds: [], most: 10, mostEach: 10, mostFailing: 10, leaseMs: 1_000 };
  expect(await claimDeliveries(db.workerPool, limits)).toEqual([]);
  expect((await db.pool.query('SELECT FROM webhook_delivery')).rowCount).toBe(0);
});

it('a person who is erased leaves no endpoint and no event', async () => {
  const ada = await givenAccount(db.pool);
  await givenEndpoint(ada);
  const ofOperators = await givenEndpoint(null);
  await noteKeyEvent(ada, await givenApiKey(db.pool, ada), 'create');
  await db.pool.query('SELECT account_erase($1)', [ada]);
  expect((await db.pool.query('SELECT FROM webhook_endpoint WHERE account_id = $1', [ada])).rowCount).toBe(0);
  expect(await typesOf(ofOperators)).toEqual(['account.suspended']);
});

it('events are deleted after thirty days; what is told once a month, when the month is over', async () => {
  const ada = await givenAccount(db.pool);
  await givenEndpoint(ada);
  await db.pool.query(
    `INSERT INTO webhook_event (id, type, data, once, created_at)
     SELECT gen_random_uuid(), t, '{}', o, now() - d FROM (VALUES
       ('old', NULL, interval '30 days'), ('kept', NULL, interval '29 days'),
       ('once kept', 'a', interval '31 days'), ('once old', 'b', interval '32 days')) AS v(t, o, d)`,
  );
  expect(await purgeWebhookEvents(db.workerPool, 1)).toBe(2);
  const { rows } = await db.pool.query<{ type: string }>('SELECT type FROM webhook_event ORDER BY type');
  expect(rows.map(({ type }) => type)).toEqual(['kept', 'once kept']);
});

it('the account service cannot make, change or delete an endpoint of the operators', async () => {
  const ofOperators = await givenEndpoint(null);
  const wanted = { url: 'https://evil.example/', description: null, eventTypes: null, keyVersion: 1 };
  for (const attempt of [
    () => createEndpoint(null, db.accountPool, wanted, 10),
    () => updateEndpoint(null, db.accountPool, ofOperators, { url: wanted.url }),
    () => deleteEndpoint(null, db.accountPool, ofOperators),
  ])
    await expect(attempt()).rejects.toMatchObject({ code: '42501' });
});

it('the worker counts the endpoints of the operators that were switched off because nothing was delivered', async () => {
  const [failing, gone, switchedOff] = [
    await givenEndpoint(null),
    await givenEndpoint(null),
    await givenEndpoint(null),
  ];
  const ofCustomer = await givenEndpoint(await givenAccount(db.pool));
  const before = await countDisabledOfOperators(db.workerPool);
  const turnOff = (id: string, reason: string) =>
    db.pool.query('UPDATE webhook_endpoint SET off_reason = $2::webhook_off_reason WHERE id = $1', [
      id,
      reason,
    ]);
  await turnOff(switchedOff, 'owner');
  await turnOff(ofCustomer, 'failures');
  expect(await countDisabledOfOperators(db.workerPool)).toBe(before);
  await turnOff(failing, 'failures');
  await turnOff(gone, 'gone');
  expect(await countDisabledOfOperators(db.workerPool)).toBe(before + 2);
});
