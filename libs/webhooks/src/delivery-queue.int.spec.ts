import { createTestDatabase, givenAccount, type TestDatabase } from '@farebox/testing';
import {
  claimDeliveries,
  endAttempt,
  postTestEvent,
  resendDelivery,
  type ClaimedDelivery,
} from './delivery-queue';
import { findDelivery, listDeliveries } from './deliveries';
import { createEndpoint, findEndpoint, rotateSecret, updateEndpoint, type WebhookOwner } from './endpoints';
import { MOST_ATTEMPTS } from './retries';

let db: TestDatabase;
let accountId: string;
beforeEach(async () => {
  db = await createTestDatabase();
  accountId = await givenAccount(db.pool);
});
afterEach(() => db.drop());

async function givenEndpoint(events = 1, owner: WebhookOwner = accountId): Promise<string> {
  const wanted = { url: 'https://hooks.example.com/', description: null, eventTypes: null, keyVersion: 1 };
  const endpoint = await createEndpoint(owner, db.pool, wanted, 100);
  if (!endpoint) throw new Error('the endpoint was not created');
  for (let i = 0; i < events; i++) await postTestEvent(owner, db.pool, endpoint.id);
  return endpoint.id;
}

const LIMITS = { busyIds: [] as string[], most: 100, mostEach: 5, mostFailing: 10, leaseMs: 60_000 };
const claim = (limits: Partial<typeof LIMITS> = {}) =>
  claimDeliveries(db.workerPool, { ...LIMITS, ...limits });

async function claimOne(limits: Partial<typeof LIMITS> = {}): Promise<ClaimedDelivery> {
  const [delivery] = await claim(limits);
  if (!delivery) throw new Error('nothing was due');
  return delivery;
}

const fail = ({ endpointId, eventId }: ClaimedDelivery, pauseMs: number | null = 60_000, status = 500) =>
  endAttempt(db.workerPool, { endpointId, eventId, isDelivered: false, status, error: null, pauseMs });
const succeed = ({ endpointId, eventId }: ClaimedDelivery) =>
  endAttempt(db.workerPool, {
    ...{ endpointId, eventId, isDelivered: true, status: 200, error: null, pauseMs: null },
  });
const makeDue = () => db.pool.query(`UPDATE webhook_delivery SET due_at = now() - interval '1 second'`);

/** The number of deliveries by endpoint. */
function countsOf(claimed: readonly ClaimedDelivery[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { endpointId } of claimed) counts[endpointId] = (counts[endpointId] ?? 0) + 1;
  return counts;
}

it('an endpoint with many events gets no more than its share', async () => {
  const [busy, quiet] = [await givenEndpoint(20), await givenEndpoint(1)];
  expect(countsOf(await claim())).toEqual({ [busy]: 5, [quiet]: 1 });
});

it('what is claimed is due for nobody else until its lease ends, under the same id', async () => {
  await givenEndpoint();
  const [first] = await claim({ leaseMs: 60_000 });
  expect(first).toMatchObject({ attempt: 1, type: 'webhook.test', failures: 0 });
  expect(await claim()).toEqual([]);
  await makeDue();
  expect(await claim()).toMatchObject([{ eventId: first?.eventId, attempt: 2 }]);
});

it('two workers never get the same delivery', async () => {
  for (let i = 0; i < 10; i++) await givenEndpoint(3);
  const claimed = (await Promise.all([claim(), claim(), claim()])).flat();
  const names = claimed.map(({ endpointId, eventId }) => endpointId + eventId);
  expect(new Set(names).size).toBe(names.length);
});

it('endpoints that are busy or switched off are passed over', async () => {
  const [busy, off, other] = [await givenEndpoint(), await givenEndpoint(), await givenEndpoint()];
  await updateEndpoint(accountId, db.pool, off, { isOn: false });
  expect(countsOf(await claim({ busyIds: [busy] }))).toEqual({ [other]: 1 });
});

it('endpoints that fail get one attempt each, few in all, and after the others', async () => {
  const failing = [await givenEndpoint(3), await givenEndpoint(3), await givenEndpoint(3)];
  for (const delivery of await claim({ mostEach: 1 })) await fail(delivery);
  const healthy = await givenEndpoint(3);
  const counts = countsOf(await claim({ mostFailing: 2 }));
  expect(counts[healthy]).toBe(3);
  expect(failing.map((id) => counts[id] ?? 0).sort()).toEqual([0, 1, 1]);
  await makeDue();
  expect(countsOf(await claim({ most: 3 }))).toEqual({ [healthy]: 3 });
});

it('a failed attempt waits for its pause, and a success ends the delivery and the failures in a row', async () => {
  const endpoint = await givenEndpoint();
  const first = await claimOne();
  await fail(first);
  expect(await claim()).toEqual([]);
  expect(await findEndpoint(accountId, db.pool, endpoint)).toMatchObject({
    failures: 1,
    lastSuccessAt: null,
  });
  expect(await listDeliveries(endpoint, db.pool, { count: 9 })).toMatchObject([
    { state: 'pending', attempts: 1, responseStatus: 500, endedAt: null },
  ]);
  await makeDue();
  const second = await claimOne();
  await succeed(second);
  expect(await findEndpoint(accountId, db.pool, endpoint)).toMatchObject({
    failures: 0,
    lastSuccessAt: expect.any(Date) as Date,
  });
  expect(await listDeliveries(endpoint, db.pool, { count: 9 })).toMatchObject([
    { state: 'delivered', attempts: 2, responseStatus: 200, nextAttemptAt: null },
  ]);
  await makeDue();
  expect(await claim()).toEqual([]);
});

it('a late record of an attempt does not change a delivery that has ended', async () => {
  const endpoint = await givenEndpoint();
  const first = await claimOne();
  await succeed(first);
  await fail(first, null);
  expect(await listDeliveries(endpoint, db.pool, { count: 9 })).toMatchObject([{ state: 'delivered' }]);
  expect(await findEndpoint(accountId, db.pool, endpoint)).toMatchObject({ failures: 0 });
});

async function failUntilTheEnd(): Promise<boolean> {
  let isOff = false;
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
    await makeDue();
    const delivery = await claimOne({ most: 1 });
    isOff = await fail(delivery, attempt < MOST_ATTEMPTS ? 60_000 : null);
  }
  return isOff;
}

it('an endpoint that took nothing during all attempts of an event is switched off, and can be switched on again', async () => {
  const endpoint = await givenEndpoint();
  expect(await failUntilTheEnd()).toBe(true);
  expect(await findEndpoint(accountId, db.pool, endpoint)).toMatchObject({
    offReason: 'failures',
    failures: MOST_ATTEMPTS,
  });
  expect(await listDeliveries(endpoint, db.pool, { count: 9 })).toMatchObject([
    { state: 'failed', attempts: MOST_ATTEMPTS },
  ]);
  const switchedOn = await updateEndpoint(accountId, db.pool, endpoint, { isOn: true });
  expect(switchedOn).toMatchObject({ offReason: null, failures: 0 });
});

it('an endpoint that took something meanwhile stays on when an event is given up', async () => {
  const endpoint = await givenEndpoint();
  const delivery = await claimOne();
  await postTestEvent(accountId, db.pool, endpoint);
  const other = await claimOne();
  await fail(delivery);
  await succeed(other);
  expect(await fail(delivery, null)).toBe(false);
  expect(await findEndpoint(accountId, db.pool, endpoint)).toMatchObject({ offReason: null, failures: 1 });
});

it('an endpoint that answers 410 is switched off at once', async () => {
  const endpoint = await givenEndpoint();
  const delivery = await claimOne();
  expect(await fail(delivery, null, 410)).toBe(true);
  expect(await findEndpoint(accountId, db.pool, endpoint)).toMatchObject({ offReason: 'gone' });
});

it('the secret before a rotation signs too for a day', async () => {
  const endpoint = await givenEndpoint();
  await rotateSecret(accountId, db.pool, endpoint, 2);
  expect(await claim()).toMatchObject([{ generation: 2, keyVersion: 2, formerKeyVersion: 1 }]);
  await makeDue();
  await db.pool.query(`UPDATE webhook_endpoint SET rotated_at = now() - interval '1 day'`);
  expect(await claim()).toMatchObject([{ generation: 2, keyVersion: 2, formerKeyVersion: null }]);
});

describe('the mail about an endpoint that was switched off', () => {
  /** Mails that are on their way, by endpoint. */
  const mailed = async () =>
    (
      await db.pool.query<{ endpoint: string; account: string }>(
        `SELECT m.webhook_endpoint_id AS endpoint, m.account_id AS account FROM mail m JOIN outbox o USING (id)
         WHERE m.kind = 'webhook_disabled' AND o.job = 'send-mail' AND o.payload = jsonb_build_object('mailId', m.id)
         ORDER BY m.id`,
      )
    ).rows;

  it('is posted once, when nothing was delivered during all attempts', async () => {
    const endpoint = await givenEndpoint();
    await failUntilTheEnd();
    expect(await mailed()).toEqual([{ endpoint, account: accountId }]);
  });

  it('is posted once, however many attempts are answered with 410 at the same time, and again after the next', async () => {
    const endpoint = await givenEndpoint(4);
    const claimed = await claim({ mostEach: 3 });
    const switchedOff = await Promise.all(claimed.map((delivery) => fail(delivery, null, 410)));
    expect(switchedOff.filter(Boolean)).toHaveLength(1);
    expect(await mailed()).toHaveLength(1);
    await updateEndpoint(accountId, db.accountPool, endpoint, { isOn: true });
    expect(await mailed()).toHaveLength(1);
    await fail(await claimOne(), null, 410);
    expect(await mailed()).toHaveLength(2);
  });

  it('is posted together with the switch', async () => {
    const endpoint = await givenEndpoint();
    const { eventId } = await claimOne();
    const client = await db.workerPool.connect();
    await client.query('BEGIN');
    const gone = { isDelivered: false, status: 410, error: null, pauseMs: null };
    expect(await endAttempt(client, { endpointId: endpoint, eventId, ...gone })).toBe(true);
    await client.query('ROLLBACK');
    client.release();
    expect(await mailed()).toEqual([]);
    expect(await findEndpoint(accountId, db.pool, endpoint)).toMatchObject({ offReason: null });
  });

  it('is not posted for a failure that switches nothing off, by the owner, or for one of the operators', async () => {
    const endpoint = await givenEndpoint();
    await fail(await claimOne());
    await updateEndpoint(accountId, db.accountPool, endpoint, { isOn: false });
    await givenEndpoint(1, null);
    expect(await fail(await claimOne(), null, 410)).toBe(true);
    expect(await mailed()).toEqual([]);
  });
});

describe('a delivery that is sent again', () => {
  const resend = ({ endpointId, eventId }: ClaimedDelivery, owner: WebhookOwner = accountId) =>
    resendDelivery(owner, db.accountPool, { endpointId, eventId });
  const stateOf = ({ endpointId, eventId }: ClaimedDelivery) => findDelivery(endpointId, db.pool, eventId);

  it.each([
    ['was delivered', succeed],
    ['failed for good', (delivery: ClaimedDelivery) => fail(delivery, null)],
  ])('is due at once if it %s, as if it were new, under the same id', async (_, end) => {
    await givenEndpoint();
    const first = await claimOne();
    await end(first);
    expect(await resend(first)).toBe(true);
    expect(await stateOf(first)).toMatchObject({
      ...{ state: 'pending', attempts: 0, responseStatus: null, error: null, endedAt: null },
    });
    const again = await claimOne();
    expect(again).toMatchObject({ eventId: first.eventId, data: first.data, attempt: 1 });
    await succeed(again);
    expect(await stateOf(first)).toMatchObject({ state: 'delivered', attempts: 1, responseStatus: 200 });
    expect(await claim()).toEqual([]);
  });

  it('has all attempts again, after which an endpoint that took nothing is switched off', async () => {
    const endpoint = await givenEndpoint();
    const first = await claimOne();
    await fail(first, null);
    await resend(first);
    expect(await failUntilTheEnd()).toBe(true);
    expect(await stateOf(first)).toMatchObject({ state: 'failed', attempts: MOST_ATTEMPTS });
    expect(await findEndpoint(accountId, db.pool, endpoint)).toMatchObject({ offReason: 'failures' });
  });

  it('is sent once, however often it is asked for at the same time', async () => {
    await givenEndpoint();
    const first = await claimOne();
    await succeed(first);
    const answers = await Promise.all(Array.from({ length: 8 }, () => resend(first)));
    expect(answers.filter(Boolean)).toHaveLength(1);
    expect(await claim()).toHaveLength(1);
    expect(await resend(first)).toBe(false);
  });

  it('has ended: one that waits, or is being sent, is left as it is', async () => {
    await givenEndpoint();
    const first = await claimOne();
    expect(await resend(first)).toBe(false);
    await fail(first);
    expect(await resend(first)).toBe(false);
    expect(await stateOf(first)).toMatchObject({ attempts: 1, responseStatus: 500 });
  });

  it('is one of the owner, to an endpoint that is switched on', async () => {
    const endpoint = await givenEndpoint();
    const first = await claimOne();
    await succeed(first);
    expect(await resend(first, await givenAccount(db.pool))).toBe(false);
    expect(await resend(first, null)).toBe(false);
    await updateEndpoint(accountId, db.pool, endpoint, { isOn: false });
    expect(await resend(first)).toBe(false);
    expect(await stateOf(first)).toMatchObject({ state: 'delivered' });
  });
});
