import OpenAI from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
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

async function givenClient() {
  const { secret, accountId } = await harness.givenKey();
  return { openai: new OpenAI({ baseURL: harness.baseURL, apiKey: secret }), accountId };
}

const messages = [{ role: 'user' as const, content: 'Tell me something.' }];
const weather = z.object({ city: z.string(), degrees: z.int() });
const weatherTool = {
  type: 'function' as const,
  function: {
    name: 'weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};
const asking = [{ role: 'user' as const, content: 'Please call weather.' }];

it('lists the models', async () => {
  const { openai } = await givenClient();
  const ids: string[] = [];
  for await (const model of openai.models.list()) ids.push(model.id);
  expect(ids).toEqual(expect.arrayContaining(['echo', 'paced']));
  expect(ids).not.toContain('off');
  expect(await openai.models.retrieve('echo')).toMatchObject({ id: 'echo', object: 'model' });
});

it('completes and reports the cost', async () => {
  const { openai, accountId } = await givenClient();
  const completion = await openai.chat.completions.create({ model: 'echo', messages });
  expect(completion.choices[0]).toMatchObject({
    finish_reason: 'stop',
    message: { role: 'assistant', refusal: null },
  });
  expect(completion.choices[0]?.message.content).toMatch(/\.$/);
  expect(completion.model).toBe('echo');
  expect(completion._request_id).toMatch(/^req_/);
  expect(await harness.chargesOf(accountId)).toEqual([costIn(completion.usage)]);
});

it('streams and reports the cost at the end', async () => {
  const { openai, accountId } = await givenClient();
  const stream = openai.chat.completions.stream({
    model: 'split',
    messages,
    stream_options: { include_usage: true },
  });
  const pieces: string[] = [];
  stream.on('content', (piece) => pieces.push(piece));
  const completion = await stream.finalChatCompletion();
  expect(pieces.length).toBeGreaterThan(10);
  expect(completion.choices[0]?.message.content).toBe(pieces.join(''));
  expect(completion.choices[0]?.message.content).toContain('Zürich, 東京, 🙂🚀');
  expect(await harness.chargesOf(accountId)).toEqual([costIn(completion.usage)]);
});

it('calls a tool, sends its result, and gets the answer', async () => {
  const { openai } = await givenClient();
  const first = await openai.chat.completions.create({
    model: 'echo',
    messages: asking,
    tools: [weatherTool],
  });
  const said = first.choices[0]?.message;
  const [call] = said?.tool_calls ?? [];
  if (!said || call?.type !== 'function') throw new Error('no tool was called');
  expect(call.function.name).toBe('weather');
  expect(JSON.parse(call.function.arguments)).toEqual({ city: expect.any(String) as string });

  const second = await openai.chat.completions.create({
    model: 'echo',
    messages: [...asking, said, { role: 'tool', tool_call_id: call.id, content: '18 degrees' }],
    tools: [weatherTool],
  });
  expect(second.choices[0]?.message.content).toMatch(/^The tool says 18 degrees\./);
  expect(lastAsked(harness).messages[1]?.tool_calls?.[0]?.id).toBe(call.id);
});

it('runs its own tools, several at once and streamed, until the answer', async () => {
  const { openai, accountId } = await givenClient();
  const runnable = (name: string, answer: string) => ({
    type: 'function' as const,
    function: { name, description: `The ${name}.`, parameters: { type: 'object' }, function: () => answer },
  });
  const runner = openai.chat.completions.runTools({
    model: 'echo',
    stream: true,
    messages: [{ role: 'user', content: 'Please call weather and call time.' }],
    tools: [runnable('weather', 'sunny'), runnable('time', 'noon')],
  });
  expect(await runner.finalContent()).toMatch(/^The tool says sunny\. The tool says noon\./);
  expect(await harness.chargesOf(accountId)).toHaveLength(2);
});

it('gets JSON that follows a schema', async () => {
  const { openai } = await givenClient();
  const completion = await openai.chat.completions.parse({
    model: 'echo',
    messages,
    response_format: zodResponseFormat(weather, 'weather'),
  });
  expect(weather.parse(completion.choices[0]?.message.parsed)).toEqual(
    JSON.parse(completion.choices[0]?.message.content ?? ''),
  );
});

it('gets several choices, with log probabilities', async () => {
  const { openai } = await givenClient();
  const { choices } = await openai.chat.completions.create({
    model: 'echo',
    messages,
    n: 2,
    logprobs: true,
    top_logprobs: 3,
  });
  expect(new Set(choices.map(({ message }) => message.content)).size).toBe(2);
  for (const { message, logprobs } of choices) {
    expect(logprobs?.content?.map(({ token }) => token).join('')).toBe(message.content);
    expect(logprobs?.content?.[0]?.top_logprobs).toHaveLength(3);
  }
});

it('sends an image', async () => {
  const { openai } = await givenClient();
  const url = 'data:image/png;base64,iVBORw0KGgo=';
  const content = [
    { type: 'image_url' as const, image_url: { url } },
    { type: 'text' as const, text: 'What is it?' },
  ];
  const completion = await openai.chat.completions.create({
    model: 'eyes',
    messages: [{ role: 'user', content }],
  });
  expect(completion.choices[0]?.message.content).toBeTruthy();
  expect(lastAsked(harness).messages).toEqual([{ role: 'user', content }]);
});

it('aborts a stream: the model stops, and the delivered part is charged', async () => {
  const { openai, accountId } = await givenClient();
  const stream = await openai.chat.completions.create({
    model: 'paced-long',
    messages,
    stream: true,
    max_completion_tokens: LONG_ANSWER_TOKENS,
  });
  let chunks = 0;
  for await (const chunk of stream) {
    expect(chunk.object).toBe('chat.completion.chunk');
    if (++chunks === 6) break;
  }
  await expectLeft(harness, accountId);
});

it('aborts a request before its answer, free of charge', async () => {
  const { openai, accountId } = await givenClient();
  const going = new AbortController();
  const asked = openai.chat.completions.create({ model: 'slow', messages }, { signal: going.signal });
  setTimeout(() => {
    going.abort();
  }, 100);
  await expect(asked).rejects.toBeInstanceOf(OpenAI.APIUserAbortError);
  await harness.expectSettled();
  expect(await harness.chargesOf(accountId)).toEqual([]);
});

it('reports a failure within a stream, not a success', async () => {
  for (const [model, code] of [
    ['breaks', 'service_unavailable'],
    ['stalls', 'upstream_timeout'],
  ] as const) {
    const { openai, accountId } = await givenClient();
    const stream = openai.chat.completions.stream({ model, messages });
    await expect(stream.finalChatCompletion()).rejects.toMatchObject({ code, status: undefined });
    expect(await harness.usageOf(accountId)).toHaveLength(1);
  }
});
