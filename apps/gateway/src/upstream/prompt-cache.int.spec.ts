import { waitUntil } from '@farebox/testing';
import { startGatewayHarness, type GatewayHarness } from '../../test/gateway-harness';
import { startOwnUpstream, type OwnUpstream } from '../../test/own-upstream';
import { askBy, readBy, WIRE_CASES } from '../../test/wires';
import type { WireAsk, WireCase } from '../../test/wires/wire-case';

// A customer's request must not show in the usage or the price of another customer's.

/** The part of a request that a caching server looks at. */
interface Asked {
  model: string;
  stream?: boolean;
  messages: object[];
  cache_salt?: string;
  prompt_cache_key?: string;
  user?: string;
  metadata?: { user_id?: string };
}

const CHAT_FIELDS = ['cache_salt', 'prompt_cache_key', 'user'];
const PROMPT_TOKENS = 1_000;
const CACHED_TOKENS = 900;

let harness: GatewayHarness;
let server: OwnUpstream;
const cache = new Set<string>();
const marks: string[] = [];

beforeAll(async () => {
  server = await startOwnUpstream((req, res) => {
    let text = '';
    req.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    req.on('end', () => {
      const asked = JSON.parse(text) as Asked;
      const { cache_salt, prompt_cache_key, user, metadata } = asked;
      const mark = [cache_salt, prompt_cache_key, user, metadata?.user_id].join('|');
      marks.push(mark);
      const prompt = mark + asked.model + JSON.stringify(asked.messages);
      const cached = cache.has(prompt) ? CACHED_TOKENS : 0;
      cache.add(prompt);
      const isOfMessages = req.url?.endsWith('/messages') === true;
      const answer = isOfMessages ? messageOf(cached) : completionOf(cached);
      if (asked.stream !== true) {
        res.writeHead(200, { 'content-type': 'application/json' });
        res.end(JSON.stringify(answer));
        return;
      }
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      const delta = { role: 'assistant', content: 'Yes.' };
      const choices = [{ index: 0, delta, finish_reason: 'stop' }];
      res.end(`data: ${JSON.stringify({ ...answer, choices })}\n\ndata: [DONE]\n\n`);
    });
  });
  harness = await startGatewayHarness({}, { catalog: () => catalogOf(server.url) });
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
  await server.close();
});

const completionOf = (cached_tokens: number) => ({
  choices: [{ index: 0, message: { role: 'assistant', content: 'Yes.' }, finish_reason: 'stop' }],
  usage: {
    prompt_tokens: PROMPT_TOKENS,
    completion_tokens: 1,
    prompt_tokens_details: { cached_tokens, cache_write_tokens: CACHED_TOKENS - cached_tokens },
  },
});

const messageOf = (cache_read_input_tokens: number) => ({
  type: 'message',
  content: [{ type: 'text', text: 'Yes.' }],
  stop_reason: 'end_turn',
  usage: {
    input_tokens: PROMPT_TOKENS - CACHED_TOKENS,
    cache_read_input_tokens,
    cache_creation_input_tokens: CACHED_TOKENS - cache_read_input_tokens,
    output_tokens: 1,
  },
});

function catalogOf(url: string): string {
  const upstreams = ['unknown', 'shared', ...CHAT_FIELDS].map(
    (id) => `  - { id: ${id}, base_url: "${url}"${id === 'unknown' ? '' : `, prompt_cache: ${id}`} }`,
  );
  const ofMessages = [
    `  - { id: messages, base_url: "${url}", wire: messages, prompt_cache: metadata.user_id }`,
    `  - { id: messages-unknown, base_url: "${url}", wire: messages }`,
  ];
  const models = ['unknown', 'shared', ...CHAT_FIELDS, 'messages', 'messages-unknown'].map(
    (id) => `
  - id: ${id}
    routes: [{ upstream: ${id}, model: up }]
    input_price: 10
    cached_input_price: 1
    cache_write_price: 12
    output_price: 10
    context_window: 100000
    max_output_tokens: 100`,
  );
  return ['upstreams:', ...upstreams, ...ofMessages, `models:${models.join('')}`].join('\n');
}

let prompts = 0;
/** Has at least as many bytes as tokens, so the charge never exceeds the hold. */
const newPrompt = (): string =>
  `Contract of the merger, draft ${String(prompts++)}: ${'the price is 41 million. '.repeat(50)}`;

interface Told {
  cost: string;
  cached: number | null;
  mark: string;
}

/** The cost of a request as the account sees it, and the record kept of it. */
async function ask(
  wire: WireCase,
  { secret, accountId }: { secret: string; accountId: string },
  asked: WireAsk,
): Promise<Told> {
  const kept = async () => {
    const { rows } = await harness.db.pool.query<{ cached: number | null; cost: string }>(
      `SELECT cached_tokens AS cached, (cost_nano::numeric / 1e9)::numeric(20, 9)::text AS cost
       FROM usage_record WHERE account_id = $1 ORDER BY id DESC`,
      [accountId],
    );
    return rows;
  };
  const before = (await kept()).length;
  const result = await readBy(wire, await askBy(wire, harness, secret, asked));
  await waitUntil(async () => (await kept()).length > before, 'the request is charged');
  const [record] = await kept();
  expect(record?.cost).toBe(result.usage?.cost);
  return { cost: result.usage?.cost ?? '', cached: record?.cached ?? null, mark: marks.at(-1) ?? '' };
}

/** One account asks, then another asks the same, then the first asks again. */
async function askInTurn(wire: WireCase, model: string, stream = false): Promise<[Told, Told, Told]> {
  const [ada, eve] = [await harness.givenKey(), await harness.givenKey()];
  const asked = { model, stream, prompt: newPrompt() };
  return [await ask(wire, ada, asked), await ask(wire, eve, asked), await ask(wire, ada, asked)];
}

const IN_FULL = '0.010010000';
const WRITTEN = '0.011810000';
const READ = '0.001910000';

describe.each(WIRE_CASES)('$name', (wire) => {
  it.each([false, true])(
    'hides a cache that is not known to separate customers, and charges for the whole prompt (streamed: %s)',
    async (stream) => {
      const result = await askInTurn(wire, 'unknown', stream);
      expect(result.map(({ cost, cached }) => [cost, cached])).toEqual(result.map(() => [IN_FULL, null]));
    },
  );

  it.each([...CHAT_FIELDS, 'messages'])(
    'shows each customer their own cache hits if the server separates customers (%s)',
    async (model) => {
      const [first, other, again] = await askInTurn(wire, model);
      expect([first, other].map(({ cost, cached }) => [cost, cached])).toEqual([
        [WRITTEN, 0],
        [WRITTEN, 0],
      ]);
      expect([again.cost, again.cached]).toEqual([READ, CACHED_TOKENS]);
      expect(other.mark).not.toBe(first.mark);
      expect(again.mark).toBe(first.mark);
    },
  );

  it('shows everybody a cache that the operator shares', async () => {
    const [first, other] = await askInTurn(wire, 'shared');
    expect([first.cost, other.cost, other.cached]).toEqual([WRITTEN, READ, CACHED_TOKENS]);
  });
});

it('a conversation is routed by its own key, within its account', async () => {
  const [ada, eve] = [await harness.givenKey(), await harness.givenKey()];
  const markOf = async ({ secret }: { secret: string }, key?: string, path = '/v1/chat/completions') => {
    const said = path.endsWith('responses')
      ? { input: 'Hi' }
      : { messages: [{ role: 'user', content: 'Hi' }] };
    const response = await fetch(`${harness.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
      body: JSON.stringify({ model: 'prompt_cache_key', ...said, ...(key && { prompt_cache_key: key }) }),
    });
    expect(response.status).toBe(200);
    return marks.at(-1);
  };
  const own = await markOf(ada, 'one');
  expect(await markOf(ada, 'one')).toBe(own);
  expect(await markOf(ada, 'one', '/v1/responses')).toBe(own);
  expect(new Set([own, await markOf(ada, 'two'), await markOf(ada), await markOf(eve, 'one')]).size).toBe(4);
});

it('a hidden cache is not written to when a client asks for it', async () => {
  const { secret } = await harness.givenKey();
  const cache_control = { type: 'ephemeral', ttl: '1h' };
  const content = [{ type: 'text', text: 'Hi', cache_control }];
  const bodyOf = async (model: string): Promise<string> => {
    const before = cache.size;
    const response = await fetch(`${harness.url}/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': secret },
      body: JSON.stringify({ model, max_tokens: 10, messages: [{ role: 'user', content }] }),
    });
    expect([response.status, cache.size]).toEqual([200, before + 1]);
    return [...cache].at(-1) ?? '';
  };
  expect(await bodyOf('messages')).toContain('cache_control');
  expect(await bodyOf('messages-unknown')).not.toContain('cache_control');
});
