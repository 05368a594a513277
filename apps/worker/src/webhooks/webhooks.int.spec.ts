import { createTestDatabase, givenAccount, type TestDatabase } from '@farebox/testing';
import { createEndpoint, listDeliveries, postTestEvent } from '@farebox/webhooks';
import { openWebhookReceiver, type WebhookReceiver } from '../../test/webhook-receiver';
import { startWorker } from '../../test/worker-harness';

let db: TestDatabase;
let receiver: WebhookReceiver;
beforeEach(async () => {
  db = await createTestDatabase();
  receiver = await openWebhookReceiver([200]);
});
afterEach(async () => {
  await receiver.close();
  await db.drop();
});

it('a worker with a key for webhooks sends them', async () => {
  const worker = await startWorker(db, {
    FAREBOX_WEBHOOK_KEYS: `1:${'7c'.repeat(32)}`,
    FAREBOX_WEBHOOK_HTTP: 'true',
  });
  const accountId = await givenAccount(db.pool);
  const wanted = { url: receiver.url, description: null, eventTypes: null, keyVersion: 1 };
  const endpoint = await createEndpoint(accountId, db.pool, wanted, 10);
  const endpointId = endpoint?.id ?? '';
  await postTestEvent(accountId, db.pool, endpointId);
  const stateOf = async () => (await listDeliveries(endpointId, db.pool, { count: 1 }))[0]?.state;
  await worker.until(async () => (await stateOf()) === 'delivered');
  await worker.close();
  expect(receiver.received).toHaveLength(1);
});
