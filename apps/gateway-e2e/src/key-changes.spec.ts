import { givenCustomer, startWholeService, type WholeService } from '../test/whole-service';

let service: WholeService;
let customer: Awaited<ReturnType<typeof givenCustomer>>;
beforeAll(async () => {
  service = await startWholeService({ gateways: 2 });
});
beforeEach(async () => {
  customer = await givenCustomer(service, `ada-${crypto.randomUUID()}@example.com`, '25.00');
  // Both gateways remember the key as it is now.
  expect(await onEveryGateway()).toEqual(['200 ok', '200 ok']);
});
afterAll(async () => {
  await service.close();
});

/** Each gateway's answer to a completion. */
async function onEveryGateway(apiKey = customer.apiKey): Promise<string[]> {
  const outcomes: string[] = [];
  for (const gatewayUrl of service.gatewayUrls) {
    const response = await fetch(`${gatewayUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'small', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 5 }),
    });
    const { error } = (await response.json()) as { error?: { code: string } };
    outcomes.push(`${String(response.status)} ${error?.code ?? 'ok'}`);
  }
  return outcomes;
}

async function change(method: string, action: string, body?: object): Promise<{ key?: string }> {
  const response = await fetch(`${service.baseUrl}/v1/api-keys/${customer.keyPublicId}${action}`, {
    method,
    headers: {
      authorization: `Bearer ${customer.sessionToken}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  expect(response.status).toBe(200);
  return (await response.json()) as { key?: string };
}

const update = (body: object): Promise<unknown> => change('PATCH', '', body);
const twice = (outcome: string): string[] => [outcome, outcome];

it('a policy takes effect and ends with the very next request, on every gateway', async () => {
  await update({ model_policy: { mode: 'block', models: ['small'] } });
  expect(await onEveryGateway()).toEqual(twice('403 model_not_allowed'));
  await update({ model_policy: { mode: 'allow', models: ['small'] } });
  expect(await onEveryGateway()).toEqual(twice('200 ok'));
  await update({ model_policy: { mode: 'allow', models: ['slow'] } });
  expect(await onEveryGateway()).toEqual(twice('403 model_not_allowed'));
  await update({ model_policy: null });
  expect(await onEveryGateway()).toEqual(twice('200 ok'));
});

it('a monthly limit takes effect and ends with the very next request, on every gateway', async () => {
  await update({ monthly_spend_limit: '0.000000001' });
  expect(await onEveryGateway()).toEqual(twice('429 spending_limit_exceeded'));
  await update({ monthly_spend_limit: '1.00' });
  expect(await onEveryGateway()).toEqual(twice('200 ok'));
  await update({ monthly_spend_limit: '0.000000001' });
  await update({ monthly_spend_limit: null });
  expect(await onEveryGateway()).toEqual(twice('200 ok'));
});

/** Waits until the database's clock reaches a time. */
const untilDatabaseTime = (seconds: number): Promise<unknown> =>
  service.db.pool.query('SELECT pg_sleep(greatest(0, $1 - extract(epoch FROM clock_timestamp())))', [
    seconds,
  ]);

it('an expiry ends the key on every gateway in time, and a later one restores it at once', async () => {
  const expiresAt = Math.floor(Date.now() / 1_000) + 6;
  await update({ expires_at: expiresAt });
  await untilDatabaseTime(expiresAt);
  expect(await onEveryGateway()).toEqual(twice('401 expired_api_key'));
  await update({ expires_at: expiresAt + 3_600 });
  expect(await onEveryGateway()).toEqual(twice('200 ok'));
  await update({ expires_at: null });
  expect(await onEveryGateway()).toEqual(twice('200 ok'));
});

it('a rotation ends the old secret on every gateway at once, and keeps the settings', async () => {
  await update({ model_policy: { mode: 'block', models: ['small'] } });
  const { key = '' } = await change('POST', '/rotate');
  expect(await onEveryGateway()).toEqual(twice('401 invalid_api_key'));
  expect(await onEveryGateway(key)).toEqual(twice('403 model_not_allowed'));
  await update({ model_policy: null });
  expect(await onEveryGateway(key)).toEqual(twice('200 ok'));
});

it('a revocation ends the key on every gateway at once', async () => {
  await change('DELETE', '');
  expect(await onEveryGateway()).toEqual(twice('401 invalid_api_key'));
});
