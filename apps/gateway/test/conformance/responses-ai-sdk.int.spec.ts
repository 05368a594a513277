import { createOpenAI } from '@ai-sdk/openai';
import { generateText, Output, stepCountIs, streamText, tool, type ModelMessage } from 'ai';
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
  // It would warn on the console that it sends reasoning back only if it is encrypted.
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
  harness = await startConformanceHarness();
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
});

/** The provider with its default settings, which uses Responses. */
async function givenProvider() {
  const { secret: apiKey, accountId } = await harness.givenKey();
  return { openai: createOpenAI({ baseURL: harness.baseURL, apiKey }), accountId };
}

const prompt = 'Tell me something.';
const weather = z.object({ city: z.string(), degrees: z.int() });
const tools = {
  weather: tool({
    description: 'How it is outside.',
    inputSchema: z.object({ city: z.string() }),
    execute: ({ city }) => `18 degrees in ${city.slice(0, 5)}`,
  }),
  time: tool({ inputSchema: z.object({}), execute: () => 'noon' }),
};

async function streamed(asked: Parameters<typeof streamText>[0]) {
  const { response, text, reasoningText } = streamText(asked);
  return { response: await response, text: await text, reasoningText: await reasoningText };
}

function textIn(message: unknown): string {
  const { content } = message as { content?: string | { text: string }[] | null };
  return typeof content === 'string' ? content : (content ?? []).map(({ text }) => text).join('');
}

it('responds and reports the cost', async () => {
  const { openai, accountId } = await givenProvider();
  const { text, finishReason, usage, response, warnings } = await generateText({
    model: openai('echo'),
    prompt,
  });
  expect(text).toMatch(/\.$/);
  expect([finishReason, warnings]).toEqual(['stop', []]);
  expect(response.modelId).toBe('echo');
  expect(usage.outputTokens).toBeGreaterThan(0);
  expect(await harness.chargesOf(accountId)).toEqual([costIn(usage.raw)]);
});

it('streams and reports the cost at the end', async () => {
  const { openai, accountId } = await givenProvider();
  const result = streamText({ model: openai('split'), prompt });
  const pieces: string[] = [];
  for await (const piece of result.textStream) pieces.push(piece);
  expect(pieces.length).toBeGreaterThan(10);
  expect(pieces.join('')).toContain('Zürich, 東京, 🙂🚀');
  expect(await harness.chargesOf(accountId)).toEqual([costIn((await result.usage).raw)]);
});

it('calls tools, sends their results, and gets the answer', async () => {
  const { openai, accountId } = await givenProvider();
  const asked = { model: openai('echo'), prompt: 'Please call weather and call time.', tools };
  const { text, steps } = await generateText({ ...asked, stopWhen: stepCountIs(3) });
  expect(steps.map(({ finishReason }) => finishReason)).toEqual(['tool-calls', 'stop']);
  expect(text).toMatch(/^The tool says 18 degrees in.*The tool says noon\./);
  const [, called, ...answered] = lastAsked(harness).messages;
  expect(answered.map((message) => message.tool_call_id)).toEqual(called?.tool_calls?.map(({ id }) => id));

  const streamed = streamText({ ...asked, stopWhen: stepCountIs(3) });
  expect(await streamed.text).toMatch(/^The tool says 18 degrees in.*The tool says noon\./);
  expect(await harness.chargesOf(accountId)).toHaveLength(4);
});

it('gets JSON that follows a schema, with and without a stream', async () => {
  const { openai } = await givenProvider();
  const asked = { model: openai('echo'), prompt, output: Output.object({ schema: weather }) };
  const { output } = await generateText(asked);
  expect(weather.parse(output)).toEqual(output);
  const partial: unknown[] = [];
  for await (const part of streamText(asked).partialOutputStream) partial.push(part);
  expect(partial.at(-1)).toEqual(output);
});

it('gets the reasoning, and continues the conversation', async () => {
  const { openai } = await givenProvider();
  const asked: ModelMessage[] = [{ role: 'user', content: prompt }];
  // It knows only of OpenAI's own models whether they reason.
  const providerOptions = { openai: { store: false, forceReasoning: true, reasoningSummary: 'auto' } };
  const first = await generateText({ model: openai('reasons'), messages: asked, providerOptions });
  expect(first.reasoningText).toBeTruthy();
  const messages: ModelMessage[] = [
    ...asked,
    ...first.response.messages,
    { role: 'user', content: 'And then?' },
  ];
  const second = streamText({ model: openai('reasons'), messages, providerOptions });
  expect(await second.reasoningText).toBeTruthy();
  expect(lastAsked(harness).messages[1]).toMatchObject({
    role: 'assistant',
    content: [{ type: 'text', text: first.text }],
  });
});

it('sends an image', async () => {
  const { openai } = await givenProvider();
  const image = { type: 'image' as const, image: Buffer.from('89504e470d0a1a0a', 'hex') };
  const content = [{ type: 'text' as const, text: 'What is it?' }, image];
  const { text } = await generateText({ model: openai('eyes'), messages: [{ role: 'user', content }] });
  expect(text).toBeTruthy();
  expect(lastAsked(harness).messages[0]).toMatchObject({
    content: [{ type: 'text' }, { type: 'image_url' }],
  });
});

it('continues a conversation over several turns, and names earlier texts by id', async () => {
  const { openai } = await givenProvider();
  const messages: ModelMessage[] = [];
  const texts: string[] = [];
  for (const content of ['Please call weather and call time.', 'And then?', 'Please call time.']) {
    messages.push({ role: 'user', content });
    const asked = { model: openai('echo'), messages, tools, stopWhen: stepCountIs(3) };
    const result = texts.length === 1 ? await streamed(asked) : await generateText(asked);
    messages.push(...result.response.messages);
    texts.push(result.text);
  }
  const said = lastAsked(harness).messages.filter(
    (message) => message.role === 'assistant' && 'content' in message,
  );
  expect(said.map((message) => textIn(message)).filter((text) => text !== '')).toEqual(texts.slice(0, 2));
  expect(lastAsked(harness).messages).toHaveLength(10);
});

it('continues after reasoning that it names by id', async () => {
  const { openai } = await givenProvider();
  const messages: ModelMessage[] = [{ role: 'user', content: prompt }];
  const providerOptions = { openai: { forceReasoning: true, reasoningSummary: 'auto' } };
  const first = await streamed({ model: openai('reasons'), messages, providerOptions });
  messages.push(...first.response.messages, { role: 'user', content: 'And then?' });
  const second = await generateText({ model: openai('reasons'), messages, providerOptions });
  expect(second.reasoningText).toBeTruthy();
  const [, said] = lastAsked(harness).messages;
  expect(said).toMatchObject({ role: 'assistant', reasoning_content: first.reasoningText });
  expect(textIn(said)).toBe(first.text);
});

it('aborts a stream: the model stops, and the delivered part is charged', async () => {
  const { openai, accountId } = await givenProvider();
  const going = new AbortController();
  const { textStream } = streamText({
    model: openai('paced-long'),
    prompt,
    maxOutputTokens: LONG_ANSWER_TOKENS,
    abortSignal: going.signal,
  });
  let pieces = 0;
  for await (const piece of textStream) if (piece !== '' && ++pieces === 5) going.abort();
  await expectLeft(harness, accountId);
});

it('reports a stream that breaks off, with its code', async () => {
  const { openai } = await givenProvider();
  const errors: unknown[] = [];
  const result = streamText({
    model: openai('breaks'),
    prompt,
    onError: ({ error }) => void errors.push(error),
  });
  // The cut connection is a second error.
  await expect(result.consumeStream()).resolves.toBeUndefined();
  expect(errors.map((error) => JSON.stringify(error))[0]).toContain('service_unavailable');
});
