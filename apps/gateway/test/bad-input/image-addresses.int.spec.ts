import { Resolver } from 'node:dns/promises';
import {
  PATIENT_UPSTREAM,
  startGatewayHarness,
  UPSTREAM_SECRET_VARIABLE,
  type GatewayHarness,
} from '../gateway-harness';

// An upstream gets exactly the image address that was checked, on every wire.

const SERVERS = ['chat', 'messages'];

const catalogOf = (url: string): string => `
upstreams:
${SERVERS.map((wire) => `  - { id: ${wire}, base_url: "${url}", wire: ${wire}, api_key_env: ${UPSTREAM_SECRET_VARIABLE}, ${PATIENT_UPSTREAM} }`).join('\n')}
models:
${SERVERS.map(
  (wire) => `
  - id: ${wire}
    routes: [{ upstream: ${wire}, model: sim-echo }]
    input_price: 1
    output_price: 2
    context_window: 8192
    max_output_tokens: 100
    modalities: [text, image]
    image_tokens: 1000`,
).join('')}`;

let harness: GatewayHarness;
beforeAll(async () => {
  harness = await startGatewayHarness({}, { catalog: catalogOf });
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
});
beforeEach(() => {
  const nobody = (): Promise<never> => Promise.reject(new Error('there is no such name'));
  jest.spyOn(Resolver.prototype, 'resolve4').mockImplementation(nobody);
  jest.spyOn(Resolver.prototype, 'resolve6').mockImplementation(nobody);
});
afterEach(() => {
  jest.restoreAllMocks();
});

const user = (part: object, type = 'text'): object[] => [
  { role: 'user', content: [{ type, text: 'Look.' }, part] },
];

/** Requests with an image, by the paths that accept one. */
const LOOKS: Record<string, (url: string) => object> = {
  '/v1/chat/completions': (url) => ({ messages: user({ type: 'image_url', image_url: { url } }) }),
  '/v1/responses': (image_url) => ({ input: user({ type: 'input_image', image_url }, 'input_text') }),
  '/v1/messages': (url) => ({
    max_tokens: 5,
    messages: user({ type: 'image', source: { type: 'url', url } }),
  }),
  // The image is in a tool result.
  '/v1/messages?of=tools': (url) => ({
    max_tokens: 5,
    messages: [
      { role: 'user', content: 'Look.' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'look', input: {} }] },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'toolu_1',
            content: [{ type: 'image', source: { type: 'url', url } }],
          },
        ],
      },
    ],
  }),
};

describe.each(SERVERS)('a server of %s', (model) => {
  describe.each(Object.keys(LOOKS))('asked through %s', (path) => {
    async function look(url: string): Promise<number> {
      const { secret } = await harness.givenKey();
      const response = await fetch(`${harness.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
        body: JSON.stringify({ model, ...LOOKS[path]?.(url) }),
      });
      await response.arrayBuffer();
      return response.status;
    }

    it('gets the checked address', async () => {
      expect(await look('HTTPS://Public.Example.COM:443?@127.0.0.1/../a.png')).toBe(200);
      const sent = JSON.stringify(harness.upstream.requests().at(-1)?.body);
      expect(sent).toContain('"https://public.example.com/?@127.0.0.1/../a.png"');
    });

    it.each([
      'https://example.com\\@127.0.0.1/',
      'https://example.com/\t@127.0.0.1/',
      ' https://example.com/',
    ])('does not get %j, which others may read as another host', async (url) => {
      const asked = harness.upstream.requests().length;
      expect(await look(url)).toBe(400);
      expect(harness.upstream.requests()).toHaveLength(asked);
    });
  });
});
