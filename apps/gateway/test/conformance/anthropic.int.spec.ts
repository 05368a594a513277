import Anthropic from '@anthropic-ai/sdk';
import {
  costIn,
  expectLeft,
  lastAsked,
  LONG_ANSWER_TOKENS,
  startConformanceHarness,
  type ConformanceHarness,
} from './conformance-harness';

let harness: ConformanceHarness;
beforeAll(async () => {
  harness = await startConformanceHarness();
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
});

async function givenClient() {
  const { secret: apiKey, accountId } = await harness.givenKey();
  return { anthropic: new Anthropic({ baseURL: harness.url, apiKey }), accountId };
}

const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Tell me something.' }];
const asked = { model: 'echo', max_tokens: 100, messages };
const weather: Anthropic.Tool = {
  name: 'weather',
  description: 'How it is outside.',
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

const textOf = ({ content }: Anthropic.Message): string =>
  content.map((block) => (block.type === 'text' ? block.text : '')).join('');

it('lists the models', async () => {
  const { anthropic } = await givenClient();
  const ids: string[] = [];
  for await (const model of anthropic.models.list()) ids.push(model.id);
  expect(ids).toEqual(expect.arrayContaining(['echo', 'paced']));
  expect(await anthropic.models.retrieve('echo')).toMatchObject({ id: 'echo', max_tokens: 4_096 });
});

it('creates a message and reports the cost', async () => {
  const { anthropic, accountId } = await givenClient();
  const message = await anthropic.messages.create(asked);
  expect(textOf(message)).toMatch(/\.$/);
  expect(message).toMatchObject({ model: 'echo', role: 'assistant', stop_reason: 'end_turn' });
  expect(message._request_id).toMatch(/^req_/);
  expect(await harness.chargesOf(accountId)).toEqual([costIn(message.usage)]);
});

it('streams a message and reports the cost at the end', async () => {
  const { anthropic, accountId } = await givenClient();
  const stream = anthropic.messages.stream({ ...asked, model: 'split' });
  const pieces: string[] = [];
  stream.on('text', (piece) => pieces.push(piece));
  const message = await stream.finalMessage();
  expect(pieces.length).toBeGreaterThan(10);
  expect(textOf(message)).toBe(pieces.join(''));
  expect(textOf(message)).toContain('Zürich, 東京, 🙂🚀');
  expect(message.usage.input_tokens).toBeGreaterThan(0);
  expect(await harness.chargesOf(accountId)).toHaveLength(1);
});

it('reads the events of a stream one by one', async () => {
  const { anthropic, accountId } = await givenClient();
  const types = new Set<string>();
  let usage: unknown;
  for await (const event of await anthropic.messages.create({ ...asked, stream: true })) {
    types.add(event.type);
    if (event.type === 'message_delta') usage = event.usage;
  }
  expect([...types]).toEqual([
    'message_start',
    'content_block_start',
    'content_block_delta',
    'content_block_stop',
    'message_delta',
    'message_stop',
  ]);
  expect(await harness.chargesOf(accountId)).toEqual([costIn(usage)]);
});

it.each([false, true])(
  'calls a tool, sends its result, and gets the answer (streamed: %s)',
  async (isStreamed) => {
    const { anthropic } = await givenClient();
    const create = (more: object): Promise<Anthropic.Message> => {
      const body = { ...asked, tools: [weather], ...more };
      return isStreamed ? anthropic.messages.stream(body).finalMessage() : anthropic.messages.create(body);
    };
    const asking = { role: 'user' as const, content: 'Please call weather.' };
    const first = await create({ messages: [asking] });
    expect(first.stop_reason).toBe('tool_use');
    const call = first.content.find((block) => block.type === 'tool_use');
    expect(call).toMatchObject({ name: 'weather', input: { city: expect.any(String) as string } });
    expect(call?.id).toMatch(/^toolu_/);
    const result = { type: 'tool_result' as const, tool_use_id: call?.id ?? '', content: '18 degrees' };
    const second = await create({
      messages: [asking, { role: 'assistant', content: first.content }, { role: 'user', content: [result] }],
    });
    expect(textOf(second)).toMatch(/^The tool says 18 degrees/);
    const [, called, answered] = lastAsked(harness).messages;
    expect(answered?.tool_call_id).toBe(called?.tool_calls?.[0]?.id);
  },
);

it('runs tools by itself', async () => {
  const { anthropic } = await givenClient();
  const message = await anthropic.beta.messages.toolRunner({
    ...asked,
    messages: [{ role: 'user', content: 'Please call weather.' }],
    tools: [{ ...weather, run: () => '18 degrees', parse: (input: unknown) => input }],
  });
  expect(message.content[0]).toMatchObject({ text: expect.stringMatching(/^The tool says 18/) as string });
});

it('gets the thoughts, and sends them back with the conversation', async () => {
  const { anthropic } = await givenClient();
  const thinking = { type: 'enabled' as const, budget_tokens: 1_024 };
  const body = { ...asked, model: 'reasons', max_tokens: 2_000, thinking };
  const first = await anthropic.messages.stream(body).finalMessage();
  expect(first.content.map(({ type }) => type)).toEqual(['thinking', 'text']);
  const conversation = [...messages, { role: 'assistant' as const, content: first.content }];
  const second = await anthropic.messages.create({
    ...body,
    messages: [...conversation, { role: 'user', content: 'And then?' }],
  });
  expect(second.content.map(({ type }) => type)).toEqual(['thinking', 'text']);
  expect(lastAsked(harness).messages[1]).toMatchObject({ reasoning_content: expect.any(String) as string });
});

it('sends an image', async () => {
  const { anthropic } = await givenClient();
  const source = { type: 'base64' as const, media_type: 'image/png' as const, data: 'iVBORw0KGgo=' };
  const content = [{ type: 'image' as const, source }];
  const message = await anthropic.messages.create({
    ...asked,
    model: 'eyes',
    messages: [{ role: 'user', content }],
  });
  expect(textOf(message)).not.toBe('');
});

it('counts tokens', async () => {
  const { anthropic, accountId } = await givenClient();
  const { input_tokens } = await anthropic.messages.countTokens({
    model: 'echo',
    messages,
    tools: [weather],
  });
  expect(input_tokens).toBeGreaterThan(10);
  expect(await harness.chargesOf(accountId)).toEqual([]);
});

it('aborts a stream: the model stops, and the delivered part is charged', async () => {
  const { anthropic, accountId } = await givenClient();
  const stream = anthropic.messages.stream({ ...asked, model: 'paced-long', max_tokens: LONG_ANSWER_TOKENS });
  let pieces = 0;
  stream.on('text', () => {
    if (++pieces === 6) stream.abort();
  });
  await expect(stream.finalMessage()).rejects.toThrow(Anthropic.APIUserAbortError);
  await expectLeft(harness, accountId);
});
