import { responsesCompaction, responsesEvent } from '@farebox/api';
import OpenAI from 'openai';
import {
  sayOk,
  sendJson,
  startRoutesHarness,
  type RouteRequest,
  type RoutesHarness,
} from '../../../test/routes-harness';

const SUMMARY = 'They want a tram. → It was drawn; paint it next.';
let harness: RoutesHarness;
let client: OpenAI;
let asked: RouteRequest[] = [];
let secret: string;
beforeAll(async () => {
  harness = await startRoutesHarness([{ id: 'm', routes: [{ upstream: 'a', model: 'm' }] }]);
  ({ secret } = await harness.givenKey());
  client = new OpenAI({ baseURL: `${harness.url}/v1`, apiKey: secret, maxRetries: 0 });
});
beforeEach(() => {
  asked = [];
  answerWith(SUMMARY);
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
});

function answerWith(content: string): void {
  harness.answer('a/m', (res, request, req) => {
    asked.push(request);
    if (request.stream) {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const piece of content.match(/.{1,7}/gsu) ?? [])
        res.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: piece } }] })}\n\n`);
      const usage = { prompt_tokens: 10, completion_tokens: 12 };
      res.write(
        `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage })}\n\n`,
      );
      res.end('data: [DONE]\n\n');
    } else if (content === SUMMARY) {
      const message = { role: 'assistant', content };
      const usage = { prompt_tokens: 10, completion_tokens: 12 };
      sendJson(res, 200, { choices: [{ index: 0, message, finish_reason: 'stop' }], usage });
    } else sayOk(res, request, req);
  });
}

const tool = { type: 'function', name: 'look', parameters: { type: 'object' } };
const conversation = [
  { type: 'message', role: 'user', content: 'Draw a tram.' },
  { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{}' },
  { type: 'function_call_output', call_id: 'c1', output: 'a tram' },
];
const ask = (path: string, body: object): Promise<Response> =>
  fetch(`${harness.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', ...body }),
  });

it('a stream that compacts has the compaction as its only item, as Codex asks for it, and is charged', async () => {
  const input = [...conversation, { type: 'compaction_trigger' }];
  const response = await ask('/v1/responses', { input, tools: [tool], stream: true, store: false });
  expect(response.headers.get('x-ignored-fields')).toBeNull();
  const events = [...(await response.text()).matchAll(/^data: (\{.*)$/gm)].map(([, data = '']) =>
    responsesEvent.parse(JSON.parse(data)),
  );
  const items = events.flatMap((event) => (event.type === 'response.output_item.done' ? [event.item] : []));
  expect(items).toEqual([
    {
      type: 'compaction',
      id: expect.stringMatching(/^cmp_/) as string,
      encrypted_content: expect.any(String) as string,
    },
  ]);
  expect(events.at(-1)).toMatchObject({
    type: 'response.completed',
    response: { output: items, usage: { input_tokens: 10, output_tokens: 12 } },
  });
  // The tools stay, because servers require the ones that were called, but none may be called now.
  expect(asked).toMatchObject([{ tool_choice: 'none', tools: [{ function: { name: 'look' } }] }]);
  expect(asked[0]?.messages.at(-1)?.content).toMatch(/summary/);
  expect(asked[0]?.messages.slice(0, -1)).toHaveLength(3);
});

it.each(['/v1/responses', '/v1/responses/compact'])(
  'the model gets what %s has compacted when the client sends it back',
  async (path) => {
    const input = path.endsWith('compact') ? conversation : [...conversation, { type: 'compaction_trigger' }];
    const response = await ask(path, { input });
    const { output } = (await response.json()) as { output: { encrypted_content: string }[] };
    expect([response.status, output.length]).toEqual([200, 1]);
    answerWith('ok');
    const next = await client.responses.create({
      model: 'm',
      input: [...output, { role: 'user', content: 'Go on.' }] as OpenAI.Responses.ResponseInput,
    });
    expect(next.output_text).toBe('ok');
    expect(asked.at(-1)?.messages).toEqual([
      { role: 'user', content: expect.stringContaining(SUMMARY) as string },
      { role: 'user', content: 'Go on.' },
    ]);
  },
);

it('the compaction path returns its own shape, also for a text', async () => {
  const response = await ask('/v1/responses/compact', { input: 'Draw a tram.', instructions: 'Be brief.' });
  expect(responsesCompaction.parse(await response.json())).toMatchObject({
    object: 'response.compaction',
    output: [{ type: 'compaction' }],
    usage: { input_tokens: 10, output_tokens: 12 },
  });
  const refused = await ask('/v1/responses/compact', { instructions: 'Be brief.' });
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({ error: { param: 'input' } });
});

it("another service's compaction is left out and named", async () => {
  const input = [{ type: 'compaction', id: 'cmp_1', encrypted_content: 'gAAAA' }, ...conversation];
  const response = await ask('/v1/responses', { input });
  expect([response.status, response.headers.get('x-ignored-fields')]).toEqual([200, 'input.compaction']);
});

it('an empty summary is not a compaction: the client keeps its conversation', async () => {
  answerWith(' ');
  const input = [...conversation, { type: 'compaction_trigger' }];
  const response = await ask('/v1/responses', { input, stream: true });
  expect(await response.text()).not.toContain('"compaction"');
});
