import { createAnthropic } from '@ai-sdk/anthropic';
import { generateText, Output, stepCountIs, streamText, tool } from 'ai';
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
  return { farebox: createAnthropic({ baseURL: harness.baseURL, apiKey }), accountId };
}

// Warnings about unknown models are irrelevant to these tests.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

const prompt = 'Tell me something.';
const weather = tool({
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
  expect(usage.inputTokens).toBeGreaterThan(0);
  expect(await harness.chargesOf(accountId)).toEqual([costIn(usage.raw)]);
});

it('streams', async () => {
  const { farebox, accountId } = await givenProvider();
  const result = streamText({ model: farebox('split'), prompt });
  const pieces: string[] = [];
  for await (const piece of result.textStream) pieces.push(piece);
  expect(pieces.join('')).toContain('Zürich, 東京, 🙂🚀');
  expect((await result.usage).outputTokens).toBeGreaterThan(0);
  expect(await harness.chargesOf(accountId)).toHaveLength(1);
});

it('calls a tool, sends its result, and gets the answer', async () => {
  const { farebox, accountId } = await givenProvider();
  const { text, steps } = await generateText({
    model: farebox('echo'),
    prompt: 'Please call weather.',
    tools: { weather },
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
    tools: { weather, time },
    stopWhen: stepCountIs(3),
  });
  expect(await result.text).toMatch(/The tool says 18 degrees in.*The tool says noon\./);
  const [first] = await result.steps;
  expect(first?.toolCalls.map(({ toolName }) => toolName)).toEqual(['weather', 'time']);
});

it('gets JSON that follows a schema', async () => {
  const { farebox } = await givenProvider();
  const schema = z.object({ city: z.string(), degrees: z.int() });
  const { output } = await generateText({
    model: farebox('echo'),
    prompt,
    output: Output.object({ schema }),
  });
  expect(schema.parse(output)).toEqual(output);
});

it('gets the reasoning', async () => {
  const { farebox } = await givenProvider();
  const anthropic = { thinking: { type: 'enabled', budgetTokens: 1_024 } };
  const result = streamText({ model: farebox('reasons'), prompt, providerOptions: { anthropic } });
  expect(await result.reasoningText).toBeTruthy();
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
  await expectLeft(harness, accountId);
});
