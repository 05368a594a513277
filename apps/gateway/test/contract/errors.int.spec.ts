import { request as httpRequest } from 'node:http';
import { errorAnswersOf, type ErrorAnswer, OPERATIONS, type Operation } from '@farebox/api/operations';
import { PROVOKE, type Asked, type VisibleCode } from '../conformance/failures';
import { startGatewayHarness, type GatewayHarness } from '../gateway-harness';
import { documentedFetch } from '../documented-fetch';

let harness: GatewayHarness;
beforeAll(async () => {
  harness = await startGatewayHarness();
});
afterAll(() => harness.close());

const TRAFFIC = OPERATIONS.filter(({ credential }) => credential === 'api_key');
const documented = TRAFFIC.flatMap((operation) =>
  errorAnswersOf(operation).map((error) => ({
    name: `${operation.method} ${operation.path} answers ${String(error.status)} ${error.code}`,
    operation,
    error,
  })),
);
/** Free operations. */
const FREE = ['countMessageTokens', 'createQuote'];

/**
 * The gateway waits 30 seconds for a request, so libs/http provokes this with a shorter time. The account's
 * caps do not apply to free requests: the tests of count_tokens and of quotes exhaust the requests of a key.
 */
const isProvoked = ({ operation, error }: (typeof documented)[number]): boolean =>
  error.status !== 408 && !(FREE.includes(operation.id) && error.code === 'rate_limit_error');

it.each(documented.filter(isProvoked))('$name', async ({ operation, error }) => {
  const answer = (await provoke(operation, error)) as Response;
  const { error: fields } = (await answer.json()) as { error: { code: string } };
  expect([answer.status, fields.code]).toEqual([error.status, error.code]);
});

function provoke(operation: Operation, { code }: ErrorAnswer): Promise<unknown> {
  const isFree = operation.method === 'GET' || FREE.includes(operation.id);
  if (isFree && code === 'invalid_request_error') return askTwice(operation);
  if (isFree && code === 'service_unavailable') return askWhileLocked(operation);
  if (!isVisible(code)) throw new Error(`${code} belongs to the account endpoints`);
  return PROVOKE[code](harness, (asked) => ask(operation, asked));
}

const isVisible = (code: string): code is VisibleCode => Object.hasOwn(PROVOKE, code);

function ask({ method, path }: Operation, asked: Asked): Promise<Response> {
  const { model, prompt = 'Hello' } = asked;
  if (path === '/v1/embeddings') return askForEmbeddings(asked);
  const maxTokens = asked.maxTokens ?? (path === '/v1/messages' ? 100 : undefined);
  const body = path.startsWith('/v1/responses')
    ? { model, input: prompt, ...(maxTokens !== undefined && { max_output_tokens: maxTokens }) }
    : {
        model,
        messages: [{ role: 'user', content: prompt }],
        ...(maxTokens !== undefined && { max_tokens: maxTokens }),
      };
  const headers = headersOf(asked);
  const init = method === 'GET' ? { method, headers } : { method, headers, body: JSON.stringify(body) };
  return documentedFetch(new Request(harness.url + pathTo(path, model), init));
}

const headersOf = ({ apiKey, idempotencyKey }: Omit<Asked, 'model'>) => ({
  authorization: `Bearer ${apiKey}`,
  'content-type': 'application/json',
  ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
});

/** Asks the embeddings model that behaves like the chat model. */
function askForEmbeddings({ model: chatModel, prompt: input = 'Hello', ...asked }: Asked): Promise<Response> {
  const model = chatModel === 'echo' ? 'embed' : chatModel === 'missing' ? chatModel : `embed-${chatModel}`;
  const init = { method: 'POST', headers: headersOf(asked), body: JSON.stringify({ model, input }) };
  return documentedFetch(new Request(`${harness.url}/v1/embeddings`, init));
}

const pathTo = (path: string, model: string): string => path.replace('{model}', encodeURIComponent(model));

/** Sends two credentials, which `fetch` cannot do. */
async function askTwice({ method, path }: Operation): Promise<Response> {
  const headers = ['host', 'x', 'authorization', 'Bearer a', 'authorization', 'Bearer b'];
  return new Promise((resolve, reject) => {
    const req = httpRequest(harness.url + pathTo(path, 'echo'), { method, headers }, (res) => {
      let text = '';
      res.setEncoding('utf8').on('data', (part: string) => (text += part));
      res.on('end', () => {
        resolve(new Response(text, { status: res.statusCode ?? 0 }));
      });
    });
    req.on('error', reject).end();
  });
}

/** Asks while the keys are locked for longer than the gateway waits. */
async function askWhileLocked(operation: Operation): Promise<Response> {
  const { secret: apiKey } = await harness.givenKey();
  const locker = await harness.db.pool.connect();
  try {
    await locker.query('BEGIN; LOCK TABLE api_key');
    return await ask(operation, { apiKey, model: 'echo' });
  } finally {
    await locker.query('ROLLBACK');
    locker.release();
  }
}
