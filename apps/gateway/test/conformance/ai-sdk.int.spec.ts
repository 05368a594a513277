import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
  generateText,
  Output,
  stepCountIs,
  streamText,
  tool,
  type ModelMessage,
  type TextStreamPart,
  type ToolSet,
} from 'ai';
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

async function givenProvider() {
  const { secret: apiKey, accountId } = await harness.givenKey();
  const farebox = createOpenAICompatible({
    name: 'farebox',
    baseURL: harness.baseURL,
    apiKey,
    includeUsage: true,
    supportsStructuredOutputs: true,
  });
  return { farebox, accountId };
}

const prompt = 'Tell me something.';
const weather = z.object({ city: z.string(), degrees: z.int() });
const weatherTool = tool({
  description: 'How it is outside.',
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => `18 degrees in ${city.slice(0, 5)}`,
});

it('completes and reports the cost', async () => {
  const { farebox, accountId } = await givenProvider();
  const { text, finishReason, usage, response } = await generateText({ model: farebox('echo'), prompt });
  expect(text).toMatch(/\.$/);
  expect(finishReason).toBe('stop');
  expect(response.modelId).toBe('echo');
  expect(usage.outputTokens).toBeGreaterThan(0);
  expect(await harness.chargesOf(accountId)).toEqual([costIn(usage.raw)]);
});

it('streams and reports the cost at the end', async () => {
  const { farebox, accountId } = await givenProvider();
  const result = streamText({ model: farebox('split'), prompt });
  const pieces: string[] = [];
  for await (const piece of result.textStream) pieces.push(piece);
  expect(pieces.length).toBeGreaterThan(10);
  expect(pieces.join('')).toContain('Zürich, 東京, 🙂🚀');
  expect(await result.text).toBe(pieces.join(''));
  expect(await harness.chargesOf(accountId)).toEqual([costIn((await result.usage).raw)]);
});

it('calls a tool, sends its result, and gets the answer', async () => {
  const { farebox, accountId } = await givenProvider();
  const { text, steps } = await generateText({
    model: farebox('echo'),
    prompt: 'Please call weather.',
    tools: { weather: weatherTool },
    stopWhen: stepCountIs(3),
  });
  expect(steps.map(({ finishReason }) => finishReason)).toEqual(['tool-calls', 'stop']);
  expect(text).toMatch(/^The tool says 18 degrees in/);
  const [, called, answered] = lastAsked(harness).messages;
  expect(answered?.tool_call_id).toBe(called?.tool_calls?.[0]?.id);
  expect(await harness.chargesOf(accountId)).toHaveLength(2);
});

it('calls several tools in a stream, and streams the answer', async () => {
  const { farebox } = await givenProvider();
  const time = tool({ inputSchema: z.object({}), execute: () => 'noon' });
  const result = streamText({
    model: farebox('echo'),
    prompt: 'Please call weather and call time.',
    tools: { weather: weatherTool, time },
    stopWhen: stepCountIs(3),
  });
  expect(await result.text).toMatch(/The tool says 18 degrees in.*The tool says noon\./);
  const [first] = await result.steps;
  expect(first?.toolCalls.map(({ toolName }) => toolName)).toEqual(['weather', 'time']);
});

it('gets JSON that follows a schema, with and without a stream', async () => {
  const { farebox } = await givenProvider();
  const asked = { model: farebox('echo'), prompt, output: Output.object({ schema: weather }) };
  const { output } = await generateText(asked);
  expect(weather.parse(output)).toEqual(output);
  expect(harness.upstream.requests().at(-1)?.body).toMatchObject({
    response_format: { type: 'json_schema', json_schema: { strict: true, schema: { type: 'object' } } },
  });
  const streamed = streamText(asked);
  const partial: unknown[] = [];
  for await (const part of streamed.partialOutputStream) partial.push(part);
  expect(partial.at(-1)).toEqual(output);
});

it('gets the reasoning, and sends it back with the conversation', async () => {
  const { farebox } = await givenProvider();
  const asked: ModelMessage[] = [{ role: 'user', content: prompt }];
  const first = await generateText({ model: farebox('reasons'), messages: asked });
  expect(first.reasoningText).toBeTruthy();
  const messages: ModelMessage[] = [
    ...asked,
    ...first.response.messages,
    { role: 'user', content: 'And then?' },
  ];
  const second = streamText({ model: farebox('reasons'), messages });
  expect(await second.reasoningText).toBeTruthy();
  expect(await second.text).not.toBe(first.text);
  expect(lastAsked(harness).messages[1]).toMatchObject({
    reasoning_content: first.reasoningText,
    content: first.text,
  });
});

it('sends an image', async () => {
  const { farebox } = await givenProvider();
  const image = { type: 'image' as const, image: Buffer.from('89504e470d0a1a0a', 'hex') };
  const content = [{ type: 'text' as const, text: 'What is it?' }, image];
  const { text } = await generateText({ model: farebox('eyes'), messages: [{ role: 'user', content }] });
  expect(text).toBeTruthy();
  const url = expect.stringMatching(/^data:image\/png;base64,/) as string;
  expect(lastAsked(harness).messages[0]).toMatchObject({
    content: [{ type: 'text' }, { type: 'image_url', image_url: { url } }],
  });
});

it('aborts a stream: the model stops, and the delivered part is charged', async () => {
  const { farebox, accountId } = await givenProvider();
  const going = new AbortController();
  const result = streamText({
    model: farebox('paced-long'),
    prompt,
    maxOutputTokens: LONG_ANSWER_TOKENS,
    abortSignal: going.signal,
  });
  let pieces = 0;
  for await (const piece of result.textStream) if (piece !== '' && ++pieces === 6) going.abort();
  expect(pieces).toBeGreaterThanOrEqual(6);
  await expectLeft(harness, accountId);
});

it('reports a failure within a stream, not a success', async () => {
  for (const [model, code] of [
    ['breaks', 'service_unavailable'],
    ['stalls', 'upstream_timeout'],
  ] as const) {
    const { farebox, accountId } = await givenProvider();
    const parts: TextStreamPart<ToolSet>[] = [];
    const read = async () => {
      // Without a listener the client writes each error to the console.
      const result = streamText({ model: farebox(model), prompt, onError: () => undefined });
      for await (const part of result.fullStream) parts.push(part);
    };
    await expect(read()).rejects.toThrow();
    expect(parts.map(({ type }) => type)).not.toContain('finish');
    expect(parts.at(-1)).toMatchObject({ type: 'error', error: { code } });
    expect(await harness.usageOf(accountId)).toHaveLength(1);
  }
});
