import { createApiKeySecret } from '@farebox/auth';
import { requestText, toBytes } from '../raw-http/request-text';
import {
  startBadInputHarness,
  type BadInput,
  type BadInputHarness,
  type Customer,
} from '../bad-input-harness';

let harness: BadInputHarness;
beforeAll(async () => {
  harness = await startBadInputHarness();
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
});

const NO_BODY_OF_INTEREST = 'not JSON';
const asking = (...headers: string[]): string => requestText({ headers, body: NO_BODY_OF_INTEREST });
const bearer = (token: string): string => `Authorization: Bearer ${token}`;
const yesterday = new Date(Date.now() - 86_400_000);

async function withKeyOf(changed: {
  expiresAt?: Date;
  revokedAt?: Date;
  disabledAt?: Date;
}): Promise<string> {
  return asking(bearer((await harness.givenKey({}, changed)).secret));
}

async function rotatedAway({ secret, apiKeyId }: Customer): Promise<string> {
  const sql = `UPDATE api_key SET secret_hmac = sha256(secret_hmac), version = version + 1 WHERE id = $1`;
  await harness.db.pool.query(sql, [apiKeyId]);
  return asking(bearer(secret));
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** A real key with one wrong character at its end. */
function mistyped({ secret }: Customer): string {
  const last = ALPHABET[(ALPHABET.indexOf(secret.slice(-1)) + 1) % ALPHABET.length] ?? '';
  return secret.slice(0, -1) + last;
}

/** Credentials that cannot be keys, whatever the database contains. */
const NO_KEY: Pick<BadInput, 'name' | 'text'>[] = [
  { name: 'bad checksum', text: (customer) => asking(bearer(mistyped(customer))) },
  { name: '10 KB key', text: asking(bearer(`ak-${'a'.repeat(10_000)}`)) },
  {
    name: 'inner space',
    text: ({ secret }) => asking(bearer(`${secret.slice(0, 20)} ${secret.slice(20)}`)),
  },
  { name: 'SQL quote', text: asking(bearer(`ak-' OR 1=1 --`)) },
  { name: 'UTF-8', text: asking(bearer(toBytes('ak-ключ🔑'))) },
];

describe('a credential', () => {
  it.each<BadInput>([
    { name: 'none', text: asking(), answer: '401 authentication_error' },
    { name: 'Basic', text: asking('Authorization: Basic YTpi'), answer: '401 authentication_error' },
    { name: 'empty Bearer', text: asking('Authorization: Bearer '), answer: '401 authentication_error' },
    {
      name: 'key in the query',
      text: ({ secret }) =>
        requestText({ path: `/v1/chat/completions?api_key=${secret}&key=${secret}&authorization=${secret}` }),
      answer: '401 authentication_error',
    },
    {
      name: 'session token',
      text: asking(bearer(`st-${'a'.repeat(43)}`)),
      answer: '401 authentication_error',
    },
    {
      name: 'key in the cookie of a session',
      text: ({ secret }) => asking(`Cookie: service_token=${secret}`),
      answer: '401 authentication_error',
    },
    ...NO_KEY.map((input) => ({ ...input, answer: '401 invalid_api_key' })),
    { name: 'unknown', text: asking(bearer(createApiKeySecret())), answer: '401 invalid_api_key' },
    {
      name: 'NUL, which no header may have',
      text: asking(bearer('ak-\0')),
      answer: '400 invalid_request_error',
    },
    { name: 'expired', text: () => withKeyOf({ expiresAt: yesterday }), answer: '401 expired_api_key' },
    { name: 'revoked', text: () => withKeyOf({ revokedAt: yesterday }), answer: '401 invalid_api_key' },
    { name: 'switched off', text: () => withKeyOf({ disabledAt: yesterday }), answer: '401 invalid_api_key' },
    { name: 'rotated away', text: rotatedAway, answer: '401 invalid_api_key' },
    {
      name: 'two Authorization headers',
      text: ({ secret }) => asking(bearer(secret), bearer(secret)),
      answer: '400 invalid_request_error',
    },
    {
      name: 'two Hosts',
      text: ({ secret }) => asking('Host: y', bearer(secret)),
      answer: '400 invalid_request_error',
    },
  ])('$name is refused before the body is parsed', async (input) => {
    await harness.expectRefused(input);
  });
});

it('a malformed credential is refused without a look-up', async () => {
  await harness.db.pool.query('ALTER TABLE api_key RENAME TO api_key_elsewhere');
  try {
    for (const { text } of NO_KEY) {
      const customer = { secret: createApiKeySecret(), accountId: '', apiKeyId: '' };
      const [answer] = await harness.say(typeof text === 'string' ? text : await text(customer));
      expect(answer?.status).toBe(401);
    }
    // Shows that a well-formed but unknown key is looked up.
    const [lookedUp] = await harness.say(asking(bearer(createApiKeySecret())));
    expect(lookedUp?.status).toBe(500);
  } finally {
    await harness.db.pool.query('ALTER TABLE api_key_elsewhere RENAME TO api_key');
  }
});

it('a spoofed X-Forwarded-For is ignored', async () => {
  const { secret } = await harness.givenKey();
  const list = { method: 'GET', path: '/v1/models' };
  const [plain] = await harness.say(requestText({ ...list, headers: [bearer(secret)] }));
  const spoofed = [bearer(secret), 'X-Forwarded-For: 203.0.113.7', 'Forwarded: for=203.0.113.7'];
  const [answer] = await harness.say(requestText({ ...list, headers: spoofed }));
  expect([answer?.status, answer?.body]).toEqual([200, plain?.body]);
  expect(harness.logText()).not.toContain('203.0.113.7');
});

it('a valid key is served while hundreds of wrong ones wait for their refusal', async () => {
  // Enough that the last waits longer than a busy machine takes to serve the valid one.
  const wrong = 800;
  const { secret } = await harness.givenKey();
  let refused = 0;
  const asked = Array.from({ length: wrong }, async () => {
    const [answer] = await harness.say(asking(bearer(createApiKeySecret())));
    expect(answer?.status).toBe(401);
    refused++;
  });
  // From here on the others wait.
  while (refused < 100) await new Promise((resolve) => setTimeout(resolve, 5));
  const [answer] = await harness.say(
    requestText({ method: 'GET', path: '/v1/models', headers: [bearer(secret)] }),
  );
  expect(answer?.status).toBe(200);
  expect(refused).toBeLessThan(wrong);
  await Promise.all(asked);
});
