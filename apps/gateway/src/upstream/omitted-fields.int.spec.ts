import { refuse, sendJson, startRoutesHarness, type RoutesHarness } from '../../test/routes-harness';

// Customers see which fields a server's dialect leaves out, under the names that they used.

let harness: RoutesHarness;
let secret: string;
const OMIT = ['seed', 'logit_bias', 'temperature', 'parallel_tool_calls', 'response_format', 'stop'];
beforeAll(async () => {
  const routes = (...upstreams: string[]) =>
    upstreams.map((upstream, priority) => ({ upstream, model: 'm', priority }));
  harness = await startRoutesHarness(
    [
      { id: 'strict', routes: routes('a') },
      { id: 'both', routes: routes('a', 'b') },
      { id: 'native', routes: routes('c') },
    ],
    {
      upstreams: {
        a: { dialect: { omit: OMIT } },
        c: { wire: 'responses', dialect: { omit: ['temperature', 'reasoning', 'include'] } },
      },
    },
  );
  ({ secret } = await harness.givenKey());
  harness.answer('c/m', (res) => {
    const said = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'ok' }] };
    sendJson(res, 200, {
      status: 'completed',
      output: [said],
      usage: { input_tokens: 10, output_tokens: 2 },
    });
  });
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
});

const hi = { role: 'user', content: 'Hi' };

async function ignoredBy(path: string, body: object): Promise<string | null> {
  const response = await fetch(`${harness.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect([response.status, (await response.text()).includes('ok')]).toEqual([200, true]);
  return response.headers.get('x-ignored-fields');
}

const CHAT = { messages: [hi], seed: 7, top_p: 0.5, tools: [], parallel_tool_calls: true, logit_bias: null };

it.each([false, true])('a client of chat sees them (streamed: %s)', async (stream) => {
  const asked = { model: 'strict', stream, ...CHAT };
  expect(await ignoredBy('/v1/chat/completions', asked)).toBe('seed');
  expect(await ignoredBy('/v1/chat/completions', { ...asked, top_k: 5 })).toBe('top_k, seed');
  expect(await ignoredBy('/v1/chat/completions', { model: 'strict', stream, messages: [hi] })).toBeNull();
});

it.each([false, true])(
  'a client does not see those of a route that did not answer (streamed: %s)',
  async (stream) => {
    harness.answer('a/m', refuse(500));
    const asked = { model: 'both', stream, ...CHAT };
    expect(await ignoredBy('/v1/chat/completions', asked)).toBeNull();
    expect(harness.asked().slice(-2)).toEqual(['a/m', 'b/m']);
    harness.answer('a/m', (res) => {
      const message = { role: 'assistant', content: 'ok' };
      const usage = { prompt_tokens: 10, completion_tokens: 2 };
      sendJson(res, 200, { choices: [{ index: 0, message, finish_reason: 'stop' }], usage });
    });
  },
);

it('a client of Responses sees them, whatever wire the server has', async () => {
  const text = { format: { type: 'json_object' } };
  const asked = { input: 'Hi', text, temperature: 1, reasoning: { effort: 'low' }, include: [] };
  expect(await ignoredBy('/v1/responses', { model: 'strict', ...asked })).toBe('temperature, text.format');
  expect(await ignoredBy('/v1/responses', { model: 'native', ...asked })).toBe(
    'temperature, reasoning.effort',
  );
});

it('a client of messages sees them', async () => {
  const asked = { max_tokens: 10, messages: [hi], stop_sequences: ['END'], temperature: 0.5 };
  expect(await ignoredBy('/v1/messages', { model: 'strict', ...asked })).toBe('temperature, stop_sequences');
});
