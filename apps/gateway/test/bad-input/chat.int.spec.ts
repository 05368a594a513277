import { requestText, toBytes } from '../raw-http/request-text';
import { startBadInputHarness, type BadInputHarness } from '../bad-input-harness';

let harness: BadInputHarness;
beforeAll(async () => {
  harness = await startBadInputHarness();
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
});

const REQUEST = { model: 'echo', messages: [{ role: 'user', content: 'Hello' }] };
const said = (message: object): object => ({ messages: [{ role: 'user', content: 'Hello' }, message] });
const image = (url: string): object =>
  said({ role: 'user', content: [{ type: 'image_url', image_url: { url } }] });
const withSchema = (schema: object): object => ({
  response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } },
});
const IMAGE_URL = 'messages[1].content[0].image_url.url';
const SCHEMA = 'response_format.json_schema.schema';
const LINK_TO_ITSELF = { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' };

async function refuse(more: object, answer: string): Promise<void> {
  await harness.expectRefused({
    name: '',
    async text({ secret, apiKeyId }) {
      const sql = `UPDATE api_key SET model_policy_mode = 'block', model_policy_models = '{plain}' WHERE id = $1`;
      await harness.db.pool.query(sql, [apiKeyId]);
      return requestText({
        headers: [`Authorization: Bearer ${secret}`, 'Content-Type: application/json'],
        body: toBytes(JSON.stringify({ ...REQUEST, ...more })),
      });
    },
    answer,
  });
}

it.each<[name: string, more: object, param: string]>([
  ['no model', { model: undefined }, 'model'],
  ['model not a string', { model: 7 }, 'model'],
  ['model null', { model: null }, 'model'],
  ['no messages', { messages: undefined }, 'messages'],
  ['messages empty', { messages: [] }, 'messages'],
  ['messages a text', { messages: 'Hello' }, 'messages'],
  ['unknown role', said({ role: 'wizard', content: 'x' }), 'messages[1].role'],
  ['null content', said({ role: 'user', content: null }), 'messages[1].content'],
  ['number content', said({ role: 'user', content: 7 }), 'messages[1].content'],
  ['max_tokens 0', { max_tokens: 0 }, 'max_tokens'],
  ['max_tokens -1', { max_tokens: -1 }, 'max_tokens'],
  ['max_tokens 1.5', { max_tokens: 1.5 }, 'max_tokens'],
  ['max_tokens "10"', { max_tokens: '10' }, 'max_tokens'],
  ['max_completion_tokens 0', { max_completion_tokens: 0 }, 'max_completion_tokens'],
  ['n 0', { n: 0 }, 'n'],
  ['n 10^6', { n: 1_000_000 }, 'n'],
  ['temperature 9', { temperature: 9 }, 'temperature'],
  ['stream "true"', { stream: 'true' }, 'stream'],
  ['100 stops', { stop: Array.from({ length: 100 }, () => 'x') }, 'stop'],
  [
    '10^4 logit_bias keys',
    { logit_bias: Object.fromEntries(Array.from({ length: 10_000 }, (_, token) => [token, 1])) },
    'logit_bias',
  ],
  ['recursive schema that describes nothing', withSchema(LINK_TO_ITSELF), SCHEMA],
  ['schema that only refers to itself', withSchema({ $ref: '#' }), SCHEMA],
  ['schema of another document', withSchema({ $ref: 'https://example.com/a.json' }), SCHEMA],
  ['image_url to a link-local host', image('https://169.254.169.254/latest/meta-data/'), IMAGE_URL],
  ['image_url to a link-local host in IPv6', image('https://[fe80::1]/'), IMAGE_URL],
  ['image_url to this host', image('https://localhost/'), IMAGE_URL],
  ['image_url file:', image('file:///etc/passwd'), IMAGE_URL],
  ['image for a model without eyes', image('https://example.com/a.png'), 'messages'],
  ['field that is not served', { audio: { voice: 'alloy' } }, 'audio'],
  ['functions of old', { functions: [{ name: 'f' }] }, 'functions[0]'],
  [
    'prompt over the context window, however long its tokens are',
    { messages: [{ role: 'user', content: ' word'.repeat(210_000) }] },
    'messages',
  ],
])('a request with %s is refused under the name of the field', async (_name, more, param) => {
  await refuse(more, `400 invalid_request_error ${param}`);
});

it('a request of 10^5 values is refused before validation', async () => {
  const logitBias = Object.fromEntries(Array.from({ length: 100_000 }, (_, token) => [token, 1]));
  await refuse({ logit_bias: logitBias }, '400 invalid_request_error');
});

it.each<[name: string, model: string, answer: string]>([
  ['unknown', 'missing', '404 model_not_found model'],
  ['../x', '../x', '404 model_not_found model'],
  ['homoglyph', 'еcho', '404 model_not_found model'],
  ['in other letters', 'ECHO', '404 model_not_found model'],
  ['disabled', 'off', '404 model_not_found model'],
  ['constructor', 'constructor', '404 model_not_found model'],
  ['__proto__', '__proto__', '404 model_not_found model'],
  ['barred', 'plain', '403 model_not_allowed model'],
])('a model that is %s is refused', async (_name, model, answer) => {
  await refuse({ model }, answer);
});

it('a recursive schema with a description is accepted', async () => {
  const { secret } = await harness.givenKey();
  const tree = { type: 'object', properties: { left: { $ref: '#' } }, additionalProperties: false };
  expect((await harness.complete(secret, 'echo', withSchema(tree))).status).toBe(200);
});
