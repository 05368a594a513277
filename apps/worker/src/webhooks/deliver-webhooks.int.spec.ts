import { createHmac } from 'node:crypto';
import { toPublicId, uuidV7 } from '@farebox/auth';
import { createLogger } from '@farebox/observability';
import { createTestDatabase, givenAccount, type TestDatabase } from '@farebox/testing';
import {
  createAddressRule,
  createEndpoint,
  createWebhookSecrets,
  findEndpoint,
  listDeliveries,
  MOST_ATTEMPTS,
  pauseAfter,
  resendDelivery,
  rotateSecret,
  type WebhookEndpoint,
} from '@farebox/webhooks';
import { openWebhookReceiver, type WebhookReceiver } from '../../test/webhook-receiver';
import { endOf, openWebhookDeliverer, type WebhookDeliverer } from './deliver-webhooks';

const secrets = createWebhookSecrets([{ version: 1, secret: Buffer.alloc(32, 1) }]);
const log = createLogger({ service: 'worker', level: 'silent' });

let db: TestDatabase;
let accountId: string;
let receivers: WebhookReceiver[];
beforeEach(async () => {
  db = await createTestDatabase();
  accountId = await givenAccount(db.pool);
  receivers = [];
});
afterEach(async () => {
  await Promise.all(receivers.map((receiver) => receiver.close()));
  await db.drop();
});

function openDeliverer({ allowsLoopback = true } = {}): WebhookDeliverer {
  const mayReach = createAddressRule({ networks: [], allowsLoopback });
  const transport = { mayReach, allowsHttp: true, timeoutMs: 60_000 };
  return openWebhookDeliverer({ pool: db.workerPool, secrets, transport, log });
}

/** An endpoint of the account, and the server behind it, which answers with these statuses in turn. */
async function givenEndpoint(...statuses: number[]): Promise<[WebhookEndpoint, WebhookReceiver]> {
  const receiver = await openWebhookReceiver(statuses);
  receivers.push(receiver);
  const wanted = { url: receiver.url, description: null, eventTypes: null, keyVersion: 1 };
  const endpoint = await createEndpoint(accountId, db.pool, wanted, 10);
  if (!endpoint) throw new Error('the endpoint was not created');
  return [endpoint, receiver];
}

const topUp = () =>
  db.pool.query(`SELECT ledger_top_up($1, $2, 5000000000, 'card', $3)`, [...[uuidV7(), accountId, uuidV7()]]);
const makeDue = () => db.pool.query(`UPDATE webhook_delivery SET due_at = now() - interval '1 second'`);

async function deliverDue(deliverer = openDeliverer()): Promise<void> {
  await deliverer.begin();
  await deliverer.settle();
}

function signatureOf(
  secret: string,
  { headers, body }: { headers: Record<string, unknown>; body: string },
): string {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
}

it('an event is sent with a signature that its receiver can check, once', async () => {
  const [endpoint, { received }] = await givenEndpoint(204);
  await topUp();
  await deliverDue();
  await deliverDue();
  expect(received).toHaveLength(1);
  const [{ headers, body } = { headers: {}, body: '' }] = received;
  expect(JSON.parse(body)).toMatchObject({
    type: 'funding.credited',
    data: { account_id: toPublicId('acct', accountId), method: 'card', amount: '5.000000000' },
  });
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'webhook-id': expect.stringMatching(/^whmsg_/) as string,
    'webhook-timestamp': expect.stringMatching(/^\d{10}$/) as string,
  });
  const secret = secrets.secretOf({ endpointId: endpoint.id, ...endpoint });
  expect(headers['webhook-signature']).toBe(signatureOf(secret, { headers, body }));
  expect(await listDeliveries(endpoint.id, db.pool, { count: 9 })).toMatchObject([
    { state: 'delivered', attempts: 1, responseStatus: 204 },
  ]);
});

it('after a rotation, both secrets sign', async () => {
  const [endpoint, { received }] = await givenEndpoint(204);
  await rotateSecret(accountId, db.pool, endpoint.id, 1);
  await topUp();
  await deliverDue();
  const [{ headers, body } = { headers: {}, body: '' }] = received;
  const signatures = [2, 1].map((generation) =>
    signatureOf(secrets.secretOf({ endpointId: endpoint.id, generation, keyVersion: 1 }), { headers, body }),
  );
  expect(headers['webhook-signature']).toBe(signatures.join(' '));
});

it('a failed attempt is made again, with the same id and the same body', async () => {
  const [endpoint, { received }] = await givenEndpoint(500, 302, 200);
  await topUp();
  for (let i = 0; i < 4; i++) {
    await deliverDue();
    await makeDue();
  }
  expect(received.map(({ headers }) => headers['webhook-id'])).toEqual([
    ...Array.from({ length: 3 }, () => received[0]?.headers['webhook-id']),
  ]);
  expect(new Set(received.map(({ body }) => body)).size).toBe(1);
  expect(await findEndpoint(accountId, db.pool, endpoint.id)).toMatchObject({ failures: 0 });
});

it('an event that is sent again has the same id, the same body and a signature of its own time', async () => {
  const [endpoint, { received }] = await givenEndpoint(200);
  await topUp();
  await deliverDue();
  const [{ eventId } = { eventId: '' }] = await listDeliveries(endpoint.id, db.pool, { count: 1 });
  expect(await resendDelivery(accountId, db.pool, { endpointId: endpoint.id, eventId })).toBe(true);
  await deliverDue();
  await deliverDue();
  const [first, again] = received;
  expect(received).toHaveLength(2);
  expect(again?.body).toBe(first?.body);
  expect(again?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
  const secret = secrets.secretOf({ endpointId: endpoint.id, ...endpoint });
  expect(again?.headers['webhook-signature']).toBe(again && signatureOf(secret, again));
});

it('an endpoint that does not answer holds up no other', async () => {
  const [slow, slowReceiver] = await givenEndpoint(0);
  const [, quick] = await givenEndpoint(200);
  const deliverer = openDeliverer();
  await topUp();
  await deliverer.begin();
  await slowReceiver.until(1);
  await topUp();
  while (quick.received.length < 2) {
    await deliverer.begin();
    await new Promise(setImmediate);
  }
  // Its next event waits for the one that is running.
  expect(slowReceiver.received).toHaveLength(1);
  await slowReceiver.close();
  await deliverer.settle();
  expect(await listDeliveries(slow.id, db.pool, { count: 9 })).toMatchObject([
    { state: 'pending', attempts: 0 },
    { state: 'pending', attempts: 1, error: 'connection_failed' },
  ]);
});

it('an address inside of the network is not called, and the delivery says so', async () => {
  const [endpoint, { received }] = await givenEndpoint(200);
  await topUp();
  await deliverDue(openDeliverer({ allowsLoopback: false }));
  expect(received).toEqual([]);
  expect(await listDeliveries(endpoint.id, db.pool, { count: 9 })).toMatchObject([
    { state: 'pending', error: 'address_refused', responseStatus: null },
  ]);
});

it.each([
  [{ status: 200 }, 1, { isDelivered: true, pauseMs: null }],
  [{ status: 299 }, 1, { isDelivered: true, pauseMs: null }],
  [{ status: 301 }, 1, { isDelivered: false, pauseMs: pauseAfter(1) }],
  [{ status: 410 }, 1, { isDelivered: false, pauseMs: null }],
  [{ status: 503 }, 2, { isDelivered: false, pauseMs: pauseAfter(2) }],
  [{ status: 503 }, MOST_ATTEMPTS, { isDelivered: false, pauseMs: null }],
  [{ error: 'timed_out' as const }, 1, { isDelivered: false, error: 'timed_out', status: null }],
])('%j at attempt %i means %j', (result, attempt, expected) => {
  expect(endOf(attempt, result)).toMatchObject(expected);
});
