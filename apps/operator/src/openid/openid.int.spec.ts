import { join } from 'node:path';
import { freePort, ServiceProcess } from '@farebox/local-services';
import { putOperator } from '@farebox/operators';
import { cookieOf, openOperatorHarness, type OperatorHarness } from '../../test/operator-harness';

const PROVIDER = join(__dirname, '../../test/openid-provider.mjs');
const CALLBACK = '/operator/openid/callback';

let provider: ServiceProcess;
let issuer: string;
let port: number;
beforeAll(async () => {
  const [providerPort, servicePort] = [await freePort(), await freePort()];
  [issuer, port] = [`http://127.0.0.1:${String(providerPort)}`, servicePort];
  provider = ServiceProcess.start({
    name: 'the OpenID provider',
    args: [PROVIDER, String(providerPort), `http://127.0.0.1:${String(servicePort)}${CALLBACK}`],
  });
  await provider.until(provider.output.waitForLine('"event":"ready"'));
});
afterAll(() => provider.stop());

let harness: OperatorHarness;
async function open(more: Record<string, string> = {}): Promise<void> {
  harness = await openOperatorHarness({
    port,
    environment: {
      ...{ FAREBOX_OPERATOR_URL: `http://127.0.0.1:${String(port)}`, FAREBOX_OIDC_ISSUER: issuer },
      ...{ FAREBOX_OIDC_CLIENT_ID: 'farebox' },
      FAREBOX_OIDC_CLIENT_SECRET: 'a secret of the tests, long enough',
      ...more,
    },
  });
}
afterEach(() => harness.close());

/** A browser that keeps cookies of both hosts and follows redirects, one at a time. */
function openBrowser() {
  const cookies = new Map<string, string>();
  const visit = async (url: string, init: Pick<RequestInit, 'method' | 'body'> = {}): Promise<Response> => {
    const own = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, {
      redirect: 'manual',
      ...init,
      headers: { cookie: own },
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    return response;
  };
  const locationOf = (response: Response, from: string): string =>
    new URL(response.headers.get('location') ?? '', from).href;
  return {
    cookies,
    visit,
    /** Goes to the provider, signs in there as `email`, agrees, and returns the URL that leads back. */
    async signInAtProvider(email: string): Promise<string> {
      let url = `${harness.url}/operator/openid`;
      for (let step = 0; step < 12; step++) {
        const response = await visit(url);
        if (response.status === 200) {
          const form = await response.text();
          const action = new URL(/action="([^"]+)"/.exec(form)?.[1] ?? '', url).href;
          const fields = form.includes('name="login"')
            ? { prompt: 'login', login: email, password: 'x' }
            : { prompt: 'consent' };
          url = locationOf(
            await visit(action, { method: 'POST', body: new URLSearchParams(fields) }),
            action,
          );
        } else url = locationOf(response, url);
        if (url.startsWith(harness.url + CALLBACK)) return url;
      }
      throw new Error('the provider never sent the browser back');
    },
  };
}

async function signIn(email: string): Promise<{ status: number; page: string; me: unknown }> {
  const browser = openBrowser();
  const back = await browser.visit(await browser.signInAtProvider(email));
  const me = await browser.visit(`${harness.url}/operator/v1/me`);
  return { status: back.status, page: await back.text(), me: await me.json() };
}

it('signs in a person of the list, under the role of the list', async () => {
  await open();
  await putOperator(harness.db.pool, { email: 'ada@example.com', role: 'support' });
  expect(await signIn('Ada@example.com')).toMatchObject({
    status: 200,
    page: expect.stringContaining('You are <strong>ada@example.com</strong>.') as string,
    me: { operator: 'ada@example.com', role: 'support', via: 'session' },
  });
});

it.each([
  ['a person who is not in the list', 'eve@example.com', 'eve@example.com is no operator of this service.'],
  ['an address that is not verified', 'unverified@example.com', 'has not verified your e-mail address.'],
])('lets %s not in', async (_, email, message) => {
  await open();
  await putOperator(harness.db.pool, { email: 'unverified@example.com', role: 'owner' });
  expect(await signIn(email)).toMatchObject({
    status: 403,
    page: expect.stringContaining(message) as string,
    me: { error: { code: 'authentication_error' } },
  });
});

it('takes the highest role of a claim, and nobody whose claim has none', async () => {
  await open({ FAREBOX_OIDC_ROLE_CLAIM: 'groups' });
  expect(await signIn('finance@example.com')).toMatchObject({ me: { role: 'finance' } });
  expect(await signIn('stranger@example.com')).toMatchObject({
    status: 403,
    page: expect.stringContaining('The identity provider gives you no role here.') as string,
  });
});

it('refuses what another browser began, a changed answer, and a second use', async () => {
  await open();
  await putOperator(harness.db.pool, { email: 'ada@example.com', role: 'owner' });
  const [victim, attacker] = [openBrowser(), openBrowser()];
  const url = await attacker.signInAtProvider('ada@example.com');
  expect((await victim.visit(url)).status).toBe(400);
  await victim.visit(`${harness.url}/operator/openid`);
  expect((await victim.visit(url)).status).toBe(400);
  expect((await victim.visit(`${harness.url}/operator/v1/me`)).status).toBe(401);

  expect((await attacker.visit(url.replace(/code=[^&]+/, 'code=x'))).status).toBe(400);
  const honest = openBrowser();
  const back = await honest.signInAtProvider('ada@example.com');
  expect((await honest.visit(back)).status).toBe(200);
  expect((await honest.visit(back)).status).toBe(400);
  expect(cookieOf(await honest.visit(`${harness.url}/operator/openid`))).toMatch(/^operator_openid=/);
});
