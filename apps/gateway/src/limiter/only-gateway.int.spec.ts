import { startGatewayHarness, type GatewayHarness } from '../../test/gateway-harness';
import { toLimiterSettings } from './request-limits';

let harness: GatewayHarness;
beforeAll(async () => {
  harness = await startGatewayHarness({
    isOnlyGateway: true,
    requestLimits: toLimiterSettings({ requests: 2, windowMs: 3_600_000, concurrent: 10 }),
  });
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
});

const TEXT = [{ role: 'user', content: 'Hello' }];

it.each([
  ['/v1/chat/completions', { messages: TEXT }],
  ['/v1/chat/completions', { messages: TEXT, stream: true }],
  ['/v1/messages', { messages: TEXT, max_tokens: 10 }],
  ['/v1/responses', { input: 'Hello' }],
])('the only gateway tells what is left without Redis, on success and on 429: %s %j', async (path, body) => {
  const { secret } = await harness.givenKey();
  const ask = async (): Promise<[number, ...(string | null)[]]> => {
    const response = await fetch(`${harness.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'plain', ...body }),
    });
    await response.text();
    const told = ['limit', 'remaining', 'reset'].map((name) =>
      response.headers.get(`x-ratelimit-${name}-requests`),
    );
    return [response.status, ...told];
  };
  expect(await ask()).toEqual([200, '2', '1', '3600']);
  expect(await ask()).toEqual([200, '2', '0', expect.stringMatching(/^3[56]\d\d$/)]);
  expect(await ask()).toEqual([429, '2', '0', expect.stringMatching(/^3[56]\d\d$/)]);
});
