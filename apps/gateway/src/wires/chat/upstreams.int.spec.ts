import { waitUntil } from '@farebox/testing';
import { startGatewayHarness, UPSTREAM_SECRET, type GatewayHarness } from '../../../test/gateway-harness';
import { codeOf } from '../../../test/repeating-client';
import { DEFAULT_UPSTREAM_LIMITS } from '../../upstream/upstream-client';

let harness: GatewayHarness;
beforeAll(async () => {
  harness = await startGatewayHarness();
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
});

const asked = (): number => harness.upstream.requests().length;
const { failures, firstPauseMs } = DEFAULT_UPSTREAM_LIMITS.circuit;

it('an upstream gets none of the headers of a customer', async () => {
  const { secret } = await harness.givenKey();
  const headers = {
    authorization: `Bearer ${secret}`,
    'content-type': 'application/json',
    accept: 'text/x-of-the-customer',
    'accept-language': 'tlh',
    cookie: 'service_token=st-of-the-customer',
    'idempotency-key': 'key-of-the-customer',
    'openai-organization': 'org-of-the-customer',
    referer: 'https://customer.example/',
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    'user-agent': 'customer/1.0',
    'x-forwarded-for': '203.0.113.7',
    'x-request-id': 'id-of-the-customer',
    'x-stainless-lang': 'js',
  };
  for (const more of [{}, { stream: true }]) {
    await (await harness.complete(secret, 'echo', more, { headers })).text();
    const sent = { ...harness.upstream.requests().at(-1)?.headers, host: '', 'content-length': '' };
    expect(sent).toEqual({
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${UPSTREAM_SECRET}`,
      connection: 'keep-alive',
      'content-length': '',
      'content-type': 'application/json',
      host: '',
      'user-agent': 'farebox',
    });
  }
});

it('a model that fails repeatedly is paused, at no charge and with a Retry-After, and then tried again', async () => {
  const { secret } = await harness.givenKey();
  for (let failed = 0; failed < failures; failed++)
    expect((await harness.complete(secret, 'refuses-503')).status).toBe(503);
  // All failures are one customer's: the gateway has probed the model itself.
  const logged = (event: string): number =>
    harness.logText().match(new RegExp(`${event}".*"upstream_model":"sim-refuses-503"`, 'g'))?.length ?? 0;
  await waitUntil(() => logged('upstream_circuit_opened') === 1, 'the model is paused');
  const [before, probesBefore] = [asked(), harness.probes()];

  for (const more of [{}, { stream: true }]) {
    const response = await harness.complete(secret, 'refuses-503', more);
    expect([response.status, await codeOf(response)]).toEqual([503, 'service_unavailable']);
    expect(response.headers.get('retry-after')).toBe(String(firstPauseMs / 1_000));
    expect(response.headers.get('x-should-retry')).toBe('true');
  }
  expect([asked(), harness.probes()]).toEqual([before, probesBefore]);
  expect((await harness.complete(secret, 'echo')).status).toBe(200);

  await waitUntil(() => logged('upstream_circuit_still_open') === 1, 'the model is tried again');
  expect(logged('upstream_circuit_opened')).toBe(1);
  // Only the echo was sent for customers; the other call was the gateway's probe.
  expect([asked(), harness.probes()]).toEqual([before + 1, probesBefore + 1]);
  const again = await harness.complete(secret, 'refuses-503');
  expect([again.status, again.headers.get('retry-after')]).toEqual([503, '2']);
});

it('a paused route is skipped', async () => {
  const { secret } = await harness.givenKey();
  const callsOf = async (): Promise<number> => {
    const before = asked();
    expect((await harness.complete(secret, 'failover')).status).toBe(200);
    return asked() - before;
  };
  // The first of the four routes leads to a server that does not exist.
  for (let failed = 1; failed < failures; failed++) expect(await callsOf()).toBe(3);
  await waitUntil(async () => (await callsOf()) === 1, 'the two failing models are paused');
});
