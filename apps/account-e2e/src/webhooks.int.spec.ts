import { webhookDelivery, webhookList, webhookRecord, webhookWithSecret } from '@farebox/api';
import { toPublicId, uuidV7 } from '@farebox/auth';
import { expectError, openAccountHarness, type AccountHarness, type Customer } from '../test/account-harness';
import { deviceHolder } from '../test/holders';

let harness: AccountHarness;
let ada: Customer;

beforeAll(async () => {
  harness = await openAccountHarness();
});
beforeEach(async () => {
  ada = await harness.givenCustomer();
});
afterAll(() => harness.close());

const URL_OF = 'https://hooks.example.com/in';
const PATH = '/v1/webhooks';
const create = async (body: object = { url: URL_OF }, by = ada) =>
  webhookWithSecret.parse((await by.send('POST', PATH, { body })).json);
const get = async (id: string) => webhookRecord.parse((await ada.send('GET', `${PATH}/${id}`)).json);
const invalid = (param: string | null) => ({ status: 400, code: 'invalid_request_error', param }) as const;
const missing = { status: 404, code: 'invalid_request_error', param: 'webhook_id' } as const;

describe('POST /v1/webhooks', () => {
  it('creates a webhook and shows its secret, which nothing shows again', async () => {
    const types = ['balance.low', 'invoice.issued'];
    const { secret, ...created } = await create({ url: URL_OF, description: 'Slack', event_types: types });
    expect(created).toMatchObject({
      ...{ url: URL_OF, description: 'Slack', event_types: types, enabled: true, disabled_reason: null },
      ...{ consecutive_failures: 0, last_success_at: null, secret_rotated_at: null },
    });
    const got = await ada.send('GET', `${PATH}/${created.webhook_id}`);
    expect(got.json).toEqual(created);
    const listed = await ada.send('GET', PATH);
    expect(webhookList.parse(listed.json).data).toEqual([created]);
    expect(got.text + listed.text).not.toContain(secret);
    const { rows } = await harness.pool.query('SELECT to_jsonb(e)::text AS row FROM webhook_endpoint e');
    expect(JSON.stringify(rows)).not.toContain(secret.replace('whsec_', ''));
  });

  it.each<[string, object, string]>([
    ['no URL', {}, 'url'],
    ['http', { url: 'http://hooks.example.com/' }, 'url'],
    ['http on this machine', { url: 'http://127.0.0.1:9/' }, 'url'],
    ['a URL with a password', { url: 'https://ada:secret@hooks.example.com/' }, 'url'],
    ['an unknown type', { url: URL_OF, event_types: ['moon.landed'] }, 'event_types'],
  ])('refuses %s', async (_, body, param) => {
    const answer = await ada.send('POST', PATH, { body });
    expect(answer.status).toBe(400);
    expect((answer.json as { error: { param: string } }).error.param).toContain(param);
    expect(webhookList.parse((await ada.send('GET', PATH)).json).data).toEqual([]);
  });

  it('refuses an eleventh', async () => {
    for (let i = 0; i < 10; i++) await create();
    expectError(await ada.send('POST', PATH, { body: { url: URL_OF } }), invalid(null));
    const second = await ada.send('GET', `${PATH}?limit=4`);
    const { last_id, has_more } = webhookList.parse(second.json);
    expect(has_more).toBe(true);
    const rest = webhookList.parse((await ada.send('GET', `${PATH}?after=${String(last_id)}`)).json);
    expect(rest.data).toHaveLength(6);
  });

  it('is recorded as a change of the account, and is for a person', async () => {
    await create();
    const events = (await ada.send('GET', '/v1/account/events')).json as { data: object[] };
    expect(events.data[0]).toMatchObject({ credential: 'account', action: 'change' });
    const devices = deviceHolder(harness, ada);
    const { device_id } = await devices.register();
    const side = await devices.signIn(device_id);
    expectError(await side.send('POST', PATH, { body: { url: URL_OF } }), {
      ...{ status: 401, code: 'authentication_error' },
    });
  });
});

describe('PATCH /v1/webhooks/{webhook_id}', () => {
  it('changes what is named', async () => {
    const { webhook_id: id } = await create({ url: URL_OF, description: 'Slack' });
    await ada.send('PATCH', `${PATH}/${id}`, { body: { url: 'https://other.example.com/', enabled: false } });
    expect(await get(id)).toMatchObject({
      ...{
        url: 'https://other.example.com/',
        description: 'Slack',
        enabled: false,
        disabled_reason: 'owner',
      },
    });
    await ada.send('PATCH', `${PATH}/${id}`, { body: { description: null, enabled: true } });
    expect(await get(id)).toMatchObject({ description: null, enabled: true, event_types: null });
  });

  it('switches on what was switched off by failures', async () => {
    const { webhook_id: id } = await create();
    await harness.pool.query(
      `UPDATE webhook_endpoint SET off_reason = 'failures', failures = 10 WHERE account_id = $1`,
      [ada.accountId],
    );
    expect(await get(id)).toMatchObject({ disabled_reason: 'failures', consecutive_failures: 10 });
    await ada.send('PATCH', `${PATH}/${id}`, { body: { enabled: true } });
    expect(await get(id)).toMatchObject({ disabled_reason: null, consecutive_failures: 0 });
  });
});

it('a rotation shows another secret, and says since when', async () => {
  const { webhook_id: id, secret } = await create();
  const rotated = webhookWithSecret.parse((await ada.send('POST', `${PATH}/${id}/rotate`)).json);
  expect(rotated.secret).not.toBe(secret);
  expect(rotated.secret_rotated_at).not.toBeNull();
});

it('a test event waits among the deliveries, and a disabled webhook gets none', async () => {
  const { webhook_id: id } = await create();
  const { message_id } = (await ada.send('POST', `${PATH}/${id}/test`)).json as { message_id: string };
  const page = (await ada.send('GET', `${PATH}/${id}/deliveries`)).json as { data: unknown[] };
  const [delivery] = page.data.map((row) => webhookDelivery.parse(row));
  expect(delivery).toMatchObject({ message_id, type: 'webhook.test', status: 'pending', attempts: 0 });
  await ada.send('PATCH', `${PATH}/${id}`, { body: { enabled: false } });
  expectError(await ada.send('POST', `${PATH}/${id}/test`), invalid('webhook_id'));
});

describe('POST /v1/webhooks/{webhook_id}/deliveries/{message_id}/resend', () => {
  /** An event that has failed, or still waits. */
  async function givenEvent(isFailed = true): Promise<{ webhook: string; delivery: string }> {
    const webhook = `${PATH}/${(await create()).webhook_id}`;
    const { message_id } = (await ada.send('POST', `${webhook}/test`)).json as { message_id: string };
    if (isFailed)
      await harness.pool.query(
        `UPDATE webhook_delivery SET state = 'failed', attempts = 10, response_status = 500, ended_at = now()`,
      );
    return { webhook, delivery: `${webhook}/deliveries/${message_id}` };
  }
  const notSent = { status: 404, code: 'invalid_request_error', param: 'message_id' } as const;

  it('makes an event that has failed wait again, once', async () => {
    const { webhook, delivery } = await givenEvent();
    const answer = await ada.send('POST', `${delivery}/resend`);
    expect(answer.status).toBe(200);
    const record = webhookDelivery.parse(answer.json);
    expect(record).toMatchObject({ status: 'pending', attempts: 0, response_status: null, ended_at: null });
    const page = (await ada.send('GET', `${webhook}/deliveries`)).json as { data: unknown[] };
    expect(page.data).toEqual([record]);
    expectError(await ada.send('POST', `${delivery}/resend`), invalid('message_id'));
  });

  it('refuses an event that still waits, and a webhook that is disabled', async () => {
    const { delivery } = await givenEvent(false);
    expectError(await ada.send('POST', `${delivery}/resend`), invalid('message_id'));
    const failed = await givenEvent();
    await ada.send('PATCH', failed.webhook, { body: { enabled: false } });
    expectError(await ada.send('POST', `${failed.delivery}/resend`), invalid('webhook_id'));
  });

  it('finds no event of another webhook, and none for another account', async () => {
    const { delivery } = await givenEvent();
    const other = await givenEvent();
    const crossed = other.webhook + delivery.slice(delivery.indexOf('/deliveries'));
    expectError(await ada.send('POST', `${crossed}/resend`), notSent);
    const eve = await harness.givenCustomer();
    expectError(await eve.send('POST', `${delivery}/resend`), missing);
  });

  it('is for a person', async () => {
    const { delivery } = await givenEvent();
    const devices = deviceHolder(harness, ada);
    const side = await devices.signIn((await devices.register()).device_id);
    expectError(await side.send('POST', `${delivery}/resend`), {
      ...{ status: 401, code: 'authentication_error' },
    });
  });
});

it('what an account does to its keys is an event for its webhook', async () => {
  const { webhook_id: id } = await create({
    url: URL_OF,
    event_types: ['api_key.created', 'api_key.revoked'],
  });
  const { key_public_id } = (await ada.send('POST', '/v1/api-keys', { body: { name: 'laptop' } })).json as {
    key_public_id: string;
  };
  await ada.send('PATCH', `/v1/api-keys/${key_public_id}`, { body: { name: 'desk' } });
  await ada.send('DELETE', `/v1/api-keys/${key_public_id}`);
  const page = (await ada.send('GET', `${PATH}/${id}/deliveries`)).json as { data: { type: string }[] };
  expect(page.data.map(({ type }) => type)).toEqual(['api_key.revoked', 'api_key.created']);
});

it('a deleted webhook is gone', async () => {
  const { webhook_id: id } = await create();
  expect((await ada.send('DELETE', `${PATH}/${id}`)).json).toEqual({
    ...{ object: 'webhook', webhook_id: id, deleted: true },
  });
  expectError(await ada.send('GET', `${PATH}/${id}`), missing);
  expectError(await ada.send('DELETE', `${PATH}/${id}`), missing);
});

it('nobody reaches a webhook of the operators', async () => {
  const id = uuidV7();
  await harness.pool.query(
    `INSERT INTO webhook_endpoint (id, url, key_version) VALUES ($1, 'https://hooks.example.com/', 1)`,
    [id],
  );
  const path = `${PATH}/${toPublicId('hook', id)}`;
  expectError(await ada.send('GET', path), missing);
  expectError(await ada.send('POST', `${path}/rotate`), missing);
  expectError(await ada.send('PATCH', path, { body: { url: URL_OF } }), missing);
  expectError(await ada.send('DELETE', path), missing);
});
