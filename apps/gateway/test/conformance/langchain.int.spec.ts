import { HumanMessage, ToolMessage, type AIMessageChunk } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { ChatOpenAI, type ChatOpenAIFields } from '@langchain/openai';
import { z } from 'zod';
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

async function givenChat(model: string, fields: ChatOpenAIFields = {}) {
  const { secret: apiKey, accountId } = await harness.givenKey();
  return {
    chat: new ChatOpenAI({ model, apiKey, configuration: { baseURL: harness.baseURL }, ...fields }),
    accountId,
  };
}

const prompt = 'Tell me something.';
const countedTokens = {
  input_tokens: expect.any(Number) as number,
  output_tokens: expect.any(Number) as number,
};
const weather = z.object({ city: z.string(), degrees: z.int() });
const weatherTool = tool(({ city }) => `18 degrees in ${city.slice(0, 5)}`, {
  name: 'weather',
  description: 'How it is outside.',
  schema: z.object({ city: z.string() }),
});

it('completes and reports the usage', async () => {
  const { chat, accountId } = await givenChat('echo');
  const answer = await chat.invoke(prompt);
  const { text, response_metadata } = answer;
  expect(text).toMatch(/\.$/);
  expect(answer).toMatchObject({ usage_metadata: countedTokens });
  expect(response_metadata).toMatchObject({ model_name: 'echo', finish_reason: 'stop' });
  expect(await harness.chargesOf(accountId)).toEqual([costIn(response_metadata['usage'])]);
});

it('streams and reports the cost at the end', async () => {
  const { chat, accountId } = await givenChat('split');
  let all: AIMessageChunk | undefined;
  let pieces = 0;
  for await (const chunk of await chat.stream(prompt)) {
    all = all ? all.concat(chunk) : chunk;
    if (chunk.text !== '') pieces++;
  }
  expect(pieces).toBeGreaterThan(10);
  expect(all?.text).toContain('Zürich, 東京, 🙂🚀');
  expect(all).toMatchObject({ usage_metadata: countedTokens });
  expect(await harness.chargesOf(accountId)).toEqual([costIn(all?.response_metadata['usage'])]);
});

it('calls a tool, sends its result, and gets the answer', async () => {
  const { chat } = await givenChat('echo');
  const bound = chat.bindTools([weatherTool]);
  const asked = new HumanMessage('Please call weather.');
  const called = await bound.invoke([asked]);
  const [call] = called.tool_calls ?? [];
  if (!call) throw new Error('no tool was called');
  expect(call.name).toBe('weather');

  const said: unknown = await weatherTool.invoke({ ...call, type: 'tool_call' });
  if (!(said instanceof ToolMessage)) throw new Error('the tool returned nothing');
  const answer = await bound.invoke([asked, called, said]);
  expect(answer.text).toMatch(/^The tool says 18 degrees in/);
  const [, calling, answered] = lastAsked(harness).messages;
  expect(answered).toMatchObject({
    role: 'tool',
    name: 'weather',
    tool_call_id: calling?.tool_calls?.[0]?.id,
  });
});

it('calls several tools in a stream', async () => {
  const { chat } = await givenChat('echo');
  const time = tool(() => 'noon', { name: 'time', description: 'The time.', schema: z.object({}) });
  let all: AIMessageChunk | undefined;
  for await (const chunk of await chat
    .bindTools([weatherTool, time])
    .stream('Please call weather and call time.'))
    all = all ? all.concat(chunk) : chunk;
  expect(all?.tool_calls?.map(({ name }) => name)).toEqual(['weather', 'time']);
  expect(all?.tool_calls?.[0]?.args).toEqual({ city: expect.any(String) as string });
});

it.each(['jsonSchema', 'functionCalling', 'jsonMode'] as const)(
  'gets JSON that follows a schema by %s',
  async (method) => {
    const { chat } = await givenChat('echo');
    const schema = method === 'jsonMode' ? z.object({ answer: z.string() }) : weather;
    const answer: unknown = await chat
      .withStructuredOutput(schema, { method, name: 'weather' })
      .invoke(prompt);
    expect(schema.parse(answer)).toEqual(answer);
  },
);

it('gets several choices', async () => {
  const { chat } = await givenChat('echo', { n: 2 });
  const { generations } = await chat.generate([[new HumanMessage(prompt)]]);
  expect(new Set(generations[0]?.map(({ text }) => text)).size).toBe(2);
});

it('sends an image', async () => {
  const { chat } = await givenChat('eyes');
  const image_url = { url: 'data:image/png;base64,iVBORw0KGgo=' };
  const content = [
    { type: 'text', text: 'What is it?' },
    { type: 'image_url', image_url },
  ];
  expect((await chat.invoke([new HumanMessage({ content })])).text).toBeTruthy();
  expect(lastAsked(harness).messages[0]).toEqual({ role: 'user', content });
});

it('aborts a stream: the model stops, and the delivered part is charged', async () => {
  const { chat, accountId } = await givenChat('paced-long', { maxTokens: LONG_ANSWER_TOKENS });
  const going = new AbortController();
  const read = async () => {
    let chunks = 0;
    for await (const chunk of await chat.stream(prompt, { signal: going.signal }))
      if (chunk.text !== '' && ++chunks === 6) going.abort();
  };
  await expect(read()).rejects.toThrow('This operation was aborted');
  await expectLeft(harness, accountId);
});

it('reports a failure within a stream, not a success', async () => {
  for (const [model, code] of [
    ['breaks', 'service_unavailable'],
    ['stalls', 'upstream_timeout'],
  ] as const) {
    const { chat, accountId } = await givenChat(model);
    const read = async () => {
      let text = '';
      for await (const chunk of await chat.stream(prompt)) text += chunk.text;
      return text;
    };
    await expect(read()).rejects.toMatchObject({ code });
    expect(await harness.usageOf(accountId)).toHaveLength(1);
  }
});
