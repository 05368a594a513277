import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createLocalFarebox, type LocalFarebox } from '../../test/local-farebox-harness';

let farebox: LocalFarebox;
beforeAll(async () => {
  farebox = await createLocalFarebox();
});
afterAll(async () => {
  await farebox.remove();
});

it('shows where the console is, and a link that leads a browser there, signed in', async () => {
  const { launcher, local } = await farebox.start();
  expect(await launcher.output.waitForLine('  Console  ')).toContain(local.base_url);
  expect(await launcher.output.waitForLine('  Support  ')).toContain('FAREBOX_SUPPORT_EMAIL');
  const line = await launcher.output.waitForLine('  Sign in, once');
  const token = /\/auth\/links\/(lt-\S+)$/.exec(line)?.[1] ?? '';
  expect(line).toContain(`${local.base_url}/auth/links/lt-`);
  const pressed = await fetch(`${local.base_url}/auth/sessions`, {
    method: 'POST',
    headers: { origin: local.base_url },
    body: new URLSearchParams({ token }),
    redirect: 'manual',
  });
  expect([pressed.status, pressed.headers.get('location')]).toEqual([303, '/']);
  const console = await fetch(`${local.base_url}/`, { headers: { accept: 'text/html' } });
  expect(console.status).toBe(200);
  expect(await console.text()).toContain('<div id="root">');
  expect(readFileSync(path.join(farebox.stateFolder, 'local.json'), 'utf8')).not.toContain('lt-');
  await launcher.stop(30_000);
});

it('shows a requested sign-in link, and the link works in a browser on plain http', async () => {
  const { launcher, local } = await farebox.start();
  const asked = await fetch(`${local.base_url}/auth/links`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'demo@farebox.local' }),
  });
  expect(asked.status).toBe(202);
  const line = await launcher.output.waitForLine('A link to sign in');
  const link = /http:\/\/\S+$/.exec(line)?.[0] ?? '';
  expect(link.startsWith(`${local.base_url}/auth/links/lt-`)).toBe(true);

  const page = await (await fetch(link)).text();
  expect(page).toContain('<strong>demo@farebox.local</strong>');
  const token = /name="token" value="([^"]+)"/.exec(page)?.[1] ?? '';
  const pressed = await fetch(`${local.base_url}/auth/sessions`, {
    method: 'POST',
    headers: { origin: local.base_url },
    body: new URLSearchParams({ token }),
    redirect: 'manual',
  });
  expect([pressed.status, pressed.headers.get('location')]).toEqual([303, '/']);
  const [cookie = '', ...attributes] = (pressed.headers.get('set-cookie') ?? '').split('; ');
  expect(attributes).not.toContain('Secure');
  const balance = await fetch(`${local.base_url}/v1/billing/balance`, { headers: { cookie } });
  expect(await balance.json()).toMatchObject({ balance: '25.000000000' });
  await launcher.stop(30_000);
  const log = readFileSync(path.join(farebox.stateFolder, 'logs/account.log'), 'utf8');
  expect(log).toContain('"route":"/auth/sessions"');
  expect(log).not.toContain('proxy_not_trusted');
});
