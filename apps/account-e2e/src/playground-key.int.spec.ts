import { identifyApiKey } from '@farebox/accounts';
import { apiKeyList, apiKeyRecord, apiKeyWithSecret, type ApiKeyWithSecret } from '@farebox/api';
import { createKeyHasher, fromPublicId } from '@farebox/auth';
import { DAY_MS, SECOND_MS } from '@farebox/flow';
import { givenPastCharge } from '@farebox/testing';
import { expectError } from '../test/account-harness';
import { openSignInHarness, sessionTokenIn, type Person, type SignInHarness } from '../test/sign-in-harness';

let harness: SignInHarness;
let ada: Person;
beforeAll(async () => {
  harness = await openSignInHarness();
});
beforeEach(async () => {
  ada = await harness.givenPerson();
});
afterAll(() => harness.close());

const hasher = createKeyHasher([{ version: 1, secret: Buffer.alloc(32, 0x5a) }]);

/** The requests of a new session. */
async function givenSession(person: Person) {
  const token = sessionTokenIn(await harness.signIn(await harness.givenToken(person)));
  const send = (method: string, path: string, body?: object) =>
    harness.send(method, path, { headers: { authorization: `Bearer ${token}` }, ...(body && { body }) });
  return {
    send,
    obtain: async (): Promise<ApiKeyWithSecret> => {
      const answer = await send('POST', '/v1/playground-key');
      expect(answer.status).toBe(201);
      return apiKeyWithSecret.parse(answer.json);
    },
    listed: async (query = '') =>
      apiKeyList
        .parse((await send('GET', `/v1/api-keys${query}`)).json)
        .data.map(({ key_public_id }) => key_public_id),
  };
}

/** As a gateway sees it; `undefined` for a secret that was replaced. */
const statusOf = async ({ key }: ApiKeyWithSecret) =>
  (await identifyApiKey(harness.pool, hasher, key))?.status;

it('an account has one playground key: every call replaces its secret, for a day', async () => {
  const [here, there] = [await givenSession(ada), await givenSession(ada)];
  const first = await here.obtain();
  expect(first).toMatchObject({ name: 'Playground', playground: true, status: 'active' });
  expect((first.expires_at ?? 0) * SECOND_MS - Date.now()).toBeLessThanOrEqual(DAY_MS);
  const second = await there.obtain();
  expect(second.key_public_id).toBe(first.key_public_id);
  expect([await statusOf(first), await statusOf(second)]).toEqual([undefined, 'active']);
});

it('concurrent calls leave one key, whose secret is one of theirs', async () => {
  const { obtain, listed } = await givenSession(ada);
  const keys = await Promise.all(Array.from({ length: 6 }, obtain));
  expect(new Set(keys.map(({ key_public_id }) => key_public_id)).size).toBe(1);
  expect(await listed('?include=playground')).toHaveLength(1);
  const states = await Promise.all(keys.map(statusOf));
  expect(states.filter((status) => status === 'active')).toHaveLength(1);
});

it('no list shows it unless asked, and reports name it', async () => {
  const rich = await harness.givenPerson({ balanceNano: 10_000_000_000n });
  const { send, obtain, listed } = await givenSession(rich);
  const { key_public_id } = await obtain();
  for (const query of ['', '?status=active', '?search=playground']) expect(await listed(query)).toEqual([]);
  expect(await listed('?include=playground&search=play')).toEqual([key_public_id]);
  const apiKeyId = fromPublicId('key', key_public_id) ?? '';
  await givenPastCharge(harness.pool, { accountId: rich.accountId, apiKeyId, at: new Date() });
  const { json } = await send('GET', '/v1/usage/by-api-key');
  expect(json).toMatchObject({ data: [{ key_public_id, name: 'Playground' }] });
});

it('no key of a customer can be hidden, and the hidden one cannot be made to last', async () => {
  const { send, obtain, listed } = await givenSession(ada);
  expectError(await send('POST', '/v1/api-keys', { name: 'mine', playground: true }), {
    status: 400,
    code: 'invalid_request_error',
    param: 'playground',
  });
  const created = await send('POST', '/v1/api-keys', { name: 'Playground' });
  const own = apiKeyWithSecret.parse(created.json).key_public_id;
  expectError(await send('PATCH', `/v1/api-keys/${own}`, { playground: true }), {
    status: 400,
    code: 'invalid_request_error',
    param: 'playground',
  });
  expect(await listed()).toEqual([own]);

  const hidden = await obtain();
  const path = `/v1/api-keys/${hidden.key_public_id}`;
  const refused = { status: 400, code: 'invalid_request_error', param: 'key_public_id' } as const;
  expectError(await send('PATCH', path, { expires_at: null }), refused);
  expectError(await send('POST', `${path}/rotate`, { expires_at: null }), refused);
  expect(await statusOf(hidden)).toBe('active');
  expect((await send('DELETE', path)).status).toBe(200);
  expect(await statusOf(hidden)).toBe('revoked');
  const next = await obtain();
  expect(next.key_public_id).not.toBe(hidden.key_public_id);
  expect(await statusOf(next)).toBe('active');
});

it.each([
  ['signing out', 'DELETE', '/auth/session'],
  ['signing out everywhere', 'DELETE', '/auth/sessions'],
])('%s ends its secret, and notes that', async (_what, method, path) => {
  const [here, there] = [await givenSession(ada), await givenSession(ada)];
  const grace = await givenSession(await harness.givenPerson());
  const [key, foreign] = [await here.obtain(), await grace.obtain()];
  expect((await there.send(method, path)).status).toBe(200);
  expect(await statusOf(key)).toBe('expired');
  expect(await statusOf(foreign)).toBe('active');
  const again = await givenSession(ada);
  const events = await again.send('GET', '/v1/account/events');
  expect(events.json).toMatchObject({
    data: expect.arrayContaining([
      expect.objectContaining({ credential: 'api_key', action: 'revoke', name: 'Playground' }),
    ]) as unknown,
  });
  const record = await again.send('GET', `/v1/api-keys/${key.key_public_id}`);
  expect(apiKeyRecord.parse(record.json).status).toBe('expired');
  expect(await statusOf(await again.obtain())).toBe('active');
});

it('the end of a session from another one ends its secret too', async () => {
  const [here, lost] = [await givenSession(ada), await givenSession(ada)];
  const key = await lost.obtain();
  const { json } = await lost.send('GET', '/auth/sessions');
  const { data } = json as { data: { session_id: string; current: boolean }[] };
  const id = data.find(({ current }) => current)?.session_id ?? '';
  expect((await here.send('DELETE', `/auth/sessions/${id}`)).status).toBe(200);
  expect(await statusOf(key)).toBe('expired');
});
