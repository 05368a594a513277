import { createFareboxClient, unwrap, type FareboxClient } from '@farebox/client';
import { startGatewayHarness, type GatewayHarness } from '../gateway-harness';
import { documentedFetch } from '../documented-fetch';

let harness: GatewayHarness;
let client: FareboxClient;
beforeAll(async () => {
  harness = await startGatewayHarness();
  const { secret: apiKey } = await harness.givenKey();
  client = createFareboxClient({ baseUrl: harness.url, apiKey, fetch: documentedFetch });
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
});

const messages = [{ role: 'user' as const, content: 'Hello' }];

it('lists the models', async () => {
  const { data } = await unwrap(client.GET('/v1/models'));
  expect(data.map(({ id }) => id)).toContain('echo');
});

it('gets an existing model, and an error for an unknown one', async () => {
  const get = (model: string) => client.GET('/v1/models/{model}', { params: { path: { model } } });
  const { data } = await unwrap(client.GET('/v1/models'));
  expect(await unwrap(get('echo'))).toEqual(data.find(({ id }) => id === 'echo'));
  await expect(unwrap(get('off'))).rejects.toMatchObject({ code: 'model_not_found' });
  await expect(unwrap(get('no/such model'))).rejects.toMatchObject({ code: 'model_not_found' });
});

it('completes without a stream', async () => {
  const completion = await unwrap(
    client.POST('/v1/chat/completions', { body: { model: 'echo', messages, max_tokens: 8 } }),
  );
  if (typeof completion === 'string') throw new Error('a stream was returned that nobody asked for');
  expect(completion.choices[0]?.message.content).toBeTruthy();
});

const CUT = ['breaks', 'ends-early'];

// Every event is checked against the schema of the document, including the error event.
it.each(['echo', 'split', 'reasons', ...CUT])('streams by model %s as documented', async (model) => {
  const body = { model, messages, max_tokens: 8, stream: true, stream_options: { include_usage: true } };
  const { response } = await client.POST('/v1/chat/completions', { body, parseAs: 'stream' });
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  const whole = response.text().then((text) => text.endsWith('data: [DONE]\n\n'));
  await (CUT.includes(model) ? expect(whole).rejects.toThrow() : expect(whole).resolves.toBe(true));
});

it('calls the given tools', async () => {
  const parameters = { type: 'object', properties: { city: { type: 'string' } } };
  const tools = [{ type: 'function' as const, function: { name: 'weather', parameters } }];
  const body = { model: 'echo', messages, tools, tool_choice: 'required' as const };
  const completion = await unwrap(client.POST('/v1/chat/completions', { body }));
  if (typeof completion === 'string') throw new Error('a stream was returned that nobody asked for');
  expect(completion.choices[0]?.finish_reason).toBe('tool_calls');
});

it.each(['/healthz', '/readyz', '/openapi.json', '/docs'] as const)('shows %s', async (path) => {
  expect(await unwrap(client.GET(path, { parseAs: 'text' }))).toBeTruthy();
});
