import { createHmac } from 'node:crypto';
import { connect } from 'node:net';
import { createApiKeySecret } from '@farebox/auth';
import { UPSTREAM_CANARIES } from '@farebox/simulated-upstream';
import { waitUntil } from '../../test/whole-service';
import {
  APPS,
  CUSTOMER_SECRETS,
  environmentWithSecrets,
  givenObservedCustomer,
  OPERATOR_SECRETS,
  startObservedService,
  type ObservedService,
} from '../../test/observed-service';

const LONGEST_WAIT_MS = 60_000;
const MODELS = [
  'echo',
  'paced',
  'refuses-500',
  'refuses-401',
  'garbage',
  'html',
  'error-midstream',
  'breaks',
  'closes',
];
const SECRET = CUSTOMER_SECRETS;

interface WholeAnswer {
  choices: [{ message: { content: string } }];
}

let service: ObservedService;
let customer: Awaited<ReturnType<typeof givenObservedCustomer>>;
/** Credentials made by the service itself, and texts of an upstream. */
const madeOnTheWay: string[] = [];
beforeAll(async () => {
  service = await startObservedService({ models: MODELS, envOf: environmentWithSecrets });
  customer = await givenObservedCustomer(service, SECRET.email);
  madeOnTheWay.push(customer.apiKey, customer.sessionToken);
});
afterAll(() => service.close(), 120_000);

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

/** Sends a request and reads the response, whether it ends well or not. `onPart`: some of its body has come. */
async function send(url: string, init: RequestInit = {}, onPart?: () => void): Promise<string> {
  let seen = '';
  try {
    const { body } = await fetch(url, init);
    for await (const part of body ?? []) {
      seen += Buffer.from(part as Uint8Array).toString();
      onPart?.();
    }
  } catch {
    // The part before the break is enough.
  }
  return seen;
}

function complete(
  model: string,
  more: object = {},
  headers: Record<string, string> = {},
  onPart?: () => void,
): Promise<string> {
  const messages = [{ role: 'user', content: `Say ${SECRET.prompt}` }];
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...bearer(customer.apiKey), ...headers },
    body: JSON.stringify({ model, messages, ...more }),
  };
  return send(`${service.urls.gateway}/v1/chat/completions`, init, onPart);
}

function toAccount(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<string> {
  return send(`${service.urls.account}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...bearer(customer.sessionToken), ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
}

/** Sends bytes that are not HTTP. */
function sendRaw(url: string, text: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.end(text));
    socket
      .on('close', () => {
        resolve();
      })
      .on('error', () => undefined)
      .resume();
  });
}

const untilPrinted = (text: string): Promise<boolean> =>
  waitUntil(() => service.printed().includes(text), LONGEST_WAIT_MS);

it('secrets are sent in successful and repeated requests', async () => {
  const keyed = { 'idempotency-key': SECRET.idempotencyKey };
  for (let times = 0; times < 2; times++) {
    const { choices } = JSON.parse(await complete('echo', {}, keyed)) as WholeAnswer;
    madeOnTheWay.push(choices[0].message.content.slice(0, 40));
  }
  expect(await complete('echo', { stream: true })).toContain('[DONE]');
  await complete('echo', { max_tokens: 3 }, keyed);
  await toAccount('POST', '/v1/api-keys', { name: SECRET.keyName });
  await toAccount('GET', `/v1/usage?model=${SECRET.query}`);
  await toAccount('GET', '/v1/sessions', undefined, { cookie: `service_token=${customer.sessionToken}` });
  expect(await untilPrinted('"route":"/v1/usage"')).toBe(true);
});

it('secrets are sent to upstreams that fail in every way', async () => {
  for (const model of MODELS.filter((one) => one !== 'echo' && one !== 'paced'))
    for (const stream of [false, true]) await complete(model, { stream });
  madeOnTheWay.push(...UPSTREAM_CANARIES);
  expect(await untilPrinted('"event":"upstream_failed"')).toBe(true);
});

it('secrets are sent in invalid credentials and requests', async () => {
  const strangers = [
    createApiKeySecret(),
    `ak-${SECRET.headerValue}`,
    `st-${SECRET.headerValue}`,
    SECRET.headerValue,
  ];
  madeOnTheWay.push(...strangers);
  for (const token of strangers) {
    await complete('echo', {}, bearer(token));
    await toAccount('GET', '/v1/api-keys', undefined, bearer(token));
    await toAccount('GET', '/v1/api-keys', undefined, {
      authorization: '',
      cookie: `service_token=${token}`,
    });
    await send(`${service.urls.gateway}/v1/models?key=${token}&q=${SECRET.query}`);
  }
  await complete('echo', { [SECRET.unknownField]: SECRET.prompt });
  await complete(SECRET.query);
  const broken = `{"messages":[{"content":"${SECRET.brokenJson}`;
  await send(`${service.urls.gateway}/v1/chat/completions`, {
    method: 'POST',
    headers: bearer(customer.apiKey),
    body: broken,
  });
  await toAccount('POST', '/v1/api-keys', broken);
  await toAccount('POST', '/v1/api-keys', { name: 7, [SECRET.unknownField]: SECRET.keyName });
  for (const url of Object.values(service.urls)) {
    await send(`${url}/${SECRET.path}/${customer.apiKey}`, {
      headers: { 'x-request-id': `${SECRET.headerValue}!` },
    });
    await sendRaw(
      url,
      `GET /${SECRET.brokenHttp} HTTP/1.1\r\nHost: x\r\nContent-Length: ${SECRET.brokenHttp}\r\n\r\n`,
    );
    await sendRaw(url, `${SECRET.brokenHttp}\r\n\r\n`);
  }
  expect(await untilPrinted('"code":"invalid_api_key"')).toBe(true);
});

it('secrets are mailed in links, which a mail server refuses at first', async () => {
  service.smtp.refuse = () => `451 ${SECRET.mailServerWords} ${SECRET.email}`;
  await toAccount('POST', '/auth/links', { email: SECRET.email }, { authorization: '' });
  expect(await untilPrinted('"event":"job_failed"')).toBe(true);
  service.smtp.refuse = undefined;
  // They also get a mail about their new key.
  const linkIn = (text = ''): string | undefined => /lt-[\w-]+/.exec(text)?.[0];
  const findMail = () => service.smtp.mails.find(({ text }) => linkIn(text) !== undefined);
  expect(await waitUntil(() => findMail() !== undefined, LONGEST_WAIT_MS)).toBe(true);
  const mail = findMail();
  const token = linkIn(mail?.text) ?? '';
  expect(mail?.credentials).toBe(`mailer:${OPERATOR_SECRETS.mailPassword}`);
  await send(`${service.urls.account}/auth/links/${token}`);
  const session = await toAccount('POST', '/auth/sessions', { token }, { authorization: '' });
  const { session_token } = JSON.parse(session) as { session_token: string };
  madeOnTheWay.push(token, session_token);
  await toAccount('POST', '/auth/sessions', { token }, { authorization: '' });
});

it('secrets are used in payments: a signed event, an unsigned one, and an unreachable Stripe', async () => {
  const event = JSON.stringify({
    id: 'evt_1',
    object: 'event',
    type: 'charge.refunded',
    data: { object: { id: 'ch_1', amount_refunded: SECRET.paymentEvent, receipt_email: SECRET.email } },
  });
  const at = String(Math.floor(Date.now() / 1_000));
  const signature = createHmac('sha256', OPERATOR_SECRETS.stripeWebhook)
    .update(`${at}.${event}`)
    .digest('hex');
  for (const v1 of [signature, SECRET.headerValue])
    await toAccount('POST', '/webhooks/stripe', event, { 'stripe-signature': `t=${at},v1=${v1}` });
  await toAccount('POST', '/v1/billing/funding/checkouts', { amount: '10.00' });
  expect(await untilPrinted('"route":"/v1/billing/funding/checkouts","status":50')).toBe(true);
});

it('secrets are sent in a stream whose database is lost during the charge', async () => {
  let hasBegun = false;
  const stream = complete(
    'paced',
    { stream: true, max_tokens: 500 },
    { 'idempotency-key': `${SECRET.idempotencyKey}-2` },
    () => (hasBegun = true),
  );
  expect(await waitUntil(() => hasBegun, LONGEST_WAIT_MS)).toBe(true);
  service.line.toTarget.set({ kind: 'reset', afterBytes: 0 });
  service.line.reset();
  expect(await stream).toContain('billing_error');
  await complete('echo');
  await toAccount('GET', '/v1/api-keys');
  await toAccount('POST', '/auth/links', { email: SECRET.email }, { authorization: '' });
  await service.line.heal();
  expect(await untilPrinted('"event":"charge_unrecorded"')).toBe(true);
  const isReady = async (): Promise<boolean> =>
    (await Promise.all(APPS.map((app) => service.readinessOf(app)))).every((one) => one === 200);
  expect(await waitUntil(isReady, LONGEST_WAIT_MS)).toBe(true);
});

it('no secret is in any log, metric or trace', async () => {
  const metrics = await Promise.all(
    APPS.map(async (app) => (await fetch(`${service.metricsUrls[app]}/metrics`)).text()),
  );
  await service.stop();
  const secrets = [...Object.values(OPERATOR_SECRETS), ...Object.values(CUSTOMER_SECRETS), ...madeOnTheWay];
  const databasePassword = new URL(service.db.serviceUrl).password;
  if (databasePassword !== '') secrets.push(databasePassword);

  const result = { log: service.printed(), metrics: metrics.join('\n'), traces: service.collector.text() };
  expect(result.log.split('\n').length).toBeGreaterThan(100);
  expect(service.collector.spans().length).toBeGreaterThan(30);
  for (const [where, text] of Object.entries(result)) {
    const found = secrets.filter((secret) => text.toLowerCase().includes(secret.toLowerCase()));
    expect([where, found]).toEqual([where, []]);
  }
  for (const line of result.log.split('\n').filter((one) => one !== ''))
    expect(() => JSON.parse(line) as unknown).not.toThrow();
});
