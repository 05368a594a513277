import { createOperatorToken } from '@farebox/auth';
import { removeOperator, revokeManagementKey } from '@farebox/operators';
import { givenAccount } from '@farebox/testing';
import { toPublicId } from '@farebox/auth';
import { cookieOf, openOperatorHarness, submitLink, type OperatorHarness } from '../test/operator-harness';

let harness: OperatorHarness;
beforeEach(async () => {
  harness = await openOperatorHarness();
});
afterEach(() => harness.close());

interface ErrorBody {
  error: { code: string; message: string; param: string | null };
}

async function get(path: string, headers: Record<string, string>): Promise<Response> {
  return fetch(harness.url + path, { headers });
}

function post(path: string, body: object, headers: Record<string, string>): Promise<Response> {
  return fetch(harness.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

const ME = '/operator/v1/me';

describe('a link', () => {
  it('signs in once, by its button', async () => {
    const token = await harness.givenLink('ada@example.com', 'owner');
    const page = await get(`/operator/links/${token}`, {});
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('<button type="submit">Sign in</button>');

    const first = await submitLink(harness.url, token);
    expect([first.status, first.headers.get('location')]).toEqual([303, '/operator']);
    expect(first.headers.get('set-cookie')).toMatch(
      /^operator_token=ot-[\w-]{43}; Path=\/operator; Expires=.*HttpOnly; SameSite=Strict$/,
    );
    const me = await get(ME, { cookie: cookieOf(first) });
    expect(await me.json()).toMatchObject({ operator: 'ada@example.com', role: 'owner', via: 'session' });

    const home = await get('/operator', { cookie: cookieOf(first) });
    // The files of the console are next to the bundle, which this is not.
    expect([home.status, await home.text()]).toEqual([
      503,
      expect.stringContaining('The console is not installed') as string,
    ]);
    for (const path of ['/operator', '/operator/customers/acct_1'])
      expect((await get(path, { accept: 'text/html' })).status).toBe(401);
    const none = await get('/operator/v1/nothing', { accept: 'text/html', cookie: cookieOf(first) });
    expect(none.status).toBe(404);

    expect((await submitLink(harness.url, token)).status).toBe(404);
  });

  it('signs in nobody from a page of another origin', async () => {
    const token = await harness.givenLink('ada@example.com', 'owner');
    const foreign = await submitLink(harness.url, token, { origin: 'https://evil.example' });
    expect(foreign.status).toBe(401);
    expect((await submitLink(harness.url, token)).status).toBe(303);
  });

  it('works for one of many attempts at once', async () => {
    const token = await harness.givenLink('ada@example.com', 'owner');
    const attempts = await Promise.all(Array.from({ length: 8 }, () => submitLink(harness.url, token)));
    expect(attempts.map(({ status }) => status).sort()).toEqual([303, 404, 404, 404, 404, 404, 404, 404]);
  });
});

describe('a session', () => {
  it('ends when its person signs out', async () => {
    const cookie = await harness.givenSession('ada@example.com', 'support');
    const headers = { cookie, origin: harness.url };
    const left = await fetch(`${harness.url}/operator/session`, { method: 'DELETE', headers });
    expect(left.status).toBe(204);
    expect((await get(ME, { cookie })).status).toBe(401);
  });

  it('ends when its person is removed', async () => {
    const cookie = await harness.givenSession('ada@example.com', 'support');
    await removeOperator(harness.db.pool, 'ada@example.com');
    expect((await get(ME, { cookie })).status).toBe(401);
  });

  it('changes nothing for a page of another origin', async () => {
    const cookie = await harness.givenSession('ada@example.com', 'owner');
    const account = { account: toPublicId('acct', await givenAccount(harness.db.pool)) };
    for (const origin of ['https://evil.example', 'null', `${harness.url}.evil.example`]) {
      const response = await post('/operator/v1/account/suspend', account, { cookie, origin });
      expect(response.status).toBe(401);
    }
    const own = await post('/operator/v1/account/suspend', account, { cookie, origin: harness.url });
    expect(own.status).toBe(200);
  });
});

describe('a management key', () => {
  it('is refused once it is revoked or has expired', async () => {
    const authorization = `Bearer ${await harness.givenKey('viewer')}`;
    expect((await get(ME, { authorization })).status).toBe(200);
    const { rows } = await harness.db.pool.query<{ id: string }>('SELECT id FROM management_key');
    await revokeManagementKey(harness.db.pool, rows[0]?.id ?? '');
    expect((await get(ME, { authorization })).status).toBe(401);

    const late = `Bearer ${await harness.givenKey('viewer')}`;
    await harness.db.pool.query(`UPDATE management_key SET expires_at = now() - interval '1 second'`);
    expect((await get(ME, { authorization: late })).status).toBe(401);
  });

  it('may use its scopes alone', async () => {
    const authorization = `Bearer ${await harness.givenKey('owner', ['report', 'account show'])}`;
    expect((await get('/operator/v1/report/revenue', { authorization })).status).toBe(200);
    const refused = await get('/operator/v1/account/list', { authorization });
    expect(refused.status).toBe(403);
    expect(((await refused.json()) as ErrorBody).error.message).toBe('This key may not use "account list".');
  });
});

it.each([
  ['nothing', {}],
  ['an unknown key', { authorization: `Bearer ${createOperatorToken('key')}` }],
  ['an unknown session', { authorization: `Bearer ${createOperatorToken('session')}` }],
  ["a customer's key", { authorization: `Bearer ak-${'a'.repeat(38)}` }],
  ['a password', { authorization: 'Basic b3BlcmF0b3I6eA==' }],
  ['two cookies', { cookie: 'operator_token=a; operator_token=b' }],
])('%s is not let in', async (_, headers: Record<string, string>) => {
  const response = await get(ME, headers);
  expect([response.status, ((await response.json()) as ErrorBody).error.code]).toEqual([
    401,
    'authentication_error',
  ]);
});

describe('a verb', () => {
  let headers: { authorization: string };
  beforeEach(async () => {
    headers = { authorization: `Bearer ${await harness.givenKey('owner')}` };
  });

  async function refusal(response: Promise<Response>) {
    const answered = await response;
    const { error } = (await answered.json()) as ErrorBody;
    return { status: answered.status, message: error.message, param: error.param };
  }

  it('that cannot be undone asks first, with the question that the command line asks', async () => {
    const accountId = toPublicId('acct', await givenAccount(harness.db.pool));
    const body = { account: accountId, amount: '25.00', reference: 'wire-1' };
    const asked = await refusal(post('/operator/v1/account/fund', body, headers));
    expect(asked).toEqual({
      status: 400,
      message: expect.stringMatching(
        /^Credit 25\.000000000 dollars to .*This cannot be undone: send "yes": true to do it\.$/,
      ) as string,
      param: 'yes',
    });
    const done = await post('/operator/v1/account/fund', { ...body, yes: true }, headers);
    expect(await done.json()).toMatchObject({ amount: '25.000000000', created: true });
  });

  it('says which parameter is missing, unknown or not valid', async () => {
    const show = '/operator/v1/account/show';
    expect(await refusal(get(show, headers))).toEqual({
      status: 400,
      message: 'The parameter "account" is required.',
      param: 'account',
    });
    expect(await refusal(get(`${show}?account=x`, headers))).toEqual({
      status: 400,
      message: 'The parameter "account" is not valid. An account id looks like acct_01jd….',
      param: 'account',
    });
    expect(await refusal(get(`${show}?acount=x`, headers))).toEqual({
      status: 400,
      message: 'There is no parameter "acount".',
      param: 'acount',
    });
  });

  it('takes no amount as a number with a fraction, which may have lost digits', async () => {
    const body = {
      account: toPublicId('acct', await givenAccount(harness.db.pool)),
      amount: 0.1,
      reference: 'r',
    };
    expect(await refusal(post('/operator/v1/account/fund', body, headers))).toMatchObject({
      message: 'The parameter "amount" is a text, or a whole number.',
      param: 'amount',
    });
  });

  it('is 404 for an object that does not exist', async () => {
    const path = '/operator/v1/account/show?account=acct_01jd0000000000000000000000';
    expect(await refusal(get(path, headers))).toMatchObject({
      status: 404,
      message: 'There is no account acct_01jd0000000000000000000000.',
    });
  });

  it('takes an option that turns something off as a flag', async () => {
    const invite = '/operator/v1/account/invite';
    const body = { email: 'grace@example.com', no_mail: true };
    const invited = await post(invite, body, headers);
    expect(await invited.json()).toMatchObject({ mail: 'none' });
    expect(await refusal(post(invite, { ...body, no_mail: 'no' }, headers))).toMatchObject({
      message: 'The parameter "no_mail" is true or false.',
    });
  });

  it('takes no option of the command line as a value', async () => {
    const body = { account: '--yes', amount: '1', reference: '--yes' };
    expect(await refusal(post('/operator/v1/account/fund', body, headers))).toMatchObject({
      param: 'account',
    });
  });

  it('reads no file of the server', async () => {
    const body = { file: '/etc/passwd' };
    const { message } = await refusal(post('/operator/v1/catalog/diff', body, headers));
    expect(message).not.toContain('root:');
    expect(message).toContain('The catalogue is not valid');
  });

  it('is text for a person who asks for it', async () => {
    const response = await get('/operator/v1/operator/list', { ...headers, accept: 'text/plain' });
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(await response.text()).toBe('There are no operators. Add the first with the role owner.\n');
  });

  it('says nothing internal when it fails', async () => {
    await harness.db.pool.query('ALTER TABLE account RENAME TO moved');
    const response = await get('/operator/v1/account/list', headers);
    expect(response.status).toBe(500);
    expect(await response.text()).not.toMatch(/moved|relation|account/);
  });
});
