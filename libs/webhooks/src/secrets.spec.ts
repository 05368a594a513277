import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createWebhookSecrets } from './secrets';

const KEYS = [
  { version: 1, secret: Buffer.alloc(32, 1) },
  { version: 2, secret: Buffer.alloc(32, 2) },
];
const secrets = createWebhookSecrets(KEYS);
const ENDPOINT = { endpointId: '01920000-0000-7000-8000-000000000001', generation: 1, keyVersion: 2 };
const MESSAGE = { id: 'whmsg_1', timestamp: 1_795_262_400, body: '{"type":"webhook.test"}' };

it('a secret has 32 bytes and stays the same', () => {
  const secret = secrets.secretOf(ENDPOINT);
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(createWebhookSecrets([...KEYS].reverse()).secretOf(ENDPOINT)).toBe(secret);
});

it.each([
  ['endpoint', { endpointId: '01920000-0000-7000-8000-000000000002' }],
  ['generation', { generation: 2 }],
  ['key', { keyVersion: 1 }],
])('another %s has another secret', (_, other) => {
  expect(secrets.secretOf({ ...ENDPOINT, ...other })).not.toBe(secrets.secretOf(ENDPOINT));
});

it('new secrets are made with the newest key', () => {
  expect(secrets.currentVersion).toBe(2);
});

it('a signature is what a receiver computes from the secret, as Standard Webhooks says', () => {
  const key = Buffer.from(secrets.secretOf(ENDPOINT).replace('whsec_', ''), 'base64');
  const expected = createHmac('sha256', key)
    .update('whmsg_1.1795262400.{"type":"webhook.test"}')
    .digest('base64');
  expect(secrets.sign(ENDPOINT, MESSAGE)).toBe(`v1,${expected}`);
});

it('a key that was removed is named, and none at all is refused', () => {
  expect(() => secrets.secretOf({ ...ENDPOINT, keyVersion: 3 })).toThrow('no version 3');
  expect(() => createWebhookSecrets([])).toThrow(RangeError);
});

const PAGE = readFileSync(join(__dirname, '../../../docs/use/webhooks.md'), 'utf8');
const [, SAMPLE = ''] = /```js\n([\s\S]*?)```/.exec(PAGE) ?? [];

/** What the program of the documentation says of a webhook. */
function sampleSays(headers: Record<string, string>, body: string, secret: string): string {
  // Not by console.log, which colours a boolean where colours are forced.
  const call = `process.stdout.write(String(isOurs(...${JSON.stringify([headers, body, secret])})))`;
  const args = ['--input-type=module', '--eval', `${SAMPLE}\n${call}`];
  return execFileSync(process.execPath, args, { encoding: 'utf8' });
}

it('the program of the documentation takes our webhooks, also after a rotation, and no others', () => {
  const timestamp = Math.floor(Date.now() / 1_000);
  const signatureOf = (generation: number, at = timestamp) =>
    secrets.sign({ ...ENDPOINT, generation }, { ...MESSAGE, timestamp: at });
  const headersOf = (signature: string, at = timestamp) => ({
    ...{ 'webhook-id': MESSAGE.id, 'webhook-timestamp': String(at), 'webhook-signature': signature },
  });
  const secret = secrets.secretOf(ENDPOINT);
  const { body } = MESSAGE;
  expect(sampleSays(headersOf(signatureOf(1)), body, secret)).toBe('true');
  expect(sampleSays(headersOf(`${signatureOf(2)} ${signatureOf(1)}`), body, secret)).toBe('true');
  expect(sampleSays(headersOf(signatureOf(2)), body, secret)).toBe('false');
  expect(sampleSays(headersOf(signatureOf(1)), `${body} `, secret)).toBe('false');
  const hourAgo = timestamp - 3_600;
  expect(sampleSays(headersOf(signatureOf(1, hourAgo), hourAgo), body, secret)).toBe('false');
});
