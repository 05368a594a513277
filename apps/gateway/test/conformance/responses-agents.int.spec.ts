import { Agent, OpenAIProvider, Runner, tool } from '@openai/agents';
import OpenAI from 'openai';
import { z } from 'zod';
import { lastAsked, startConformanceHarness, type ConformanceHarness } from './conformance-harness';

let harness: ConformanceHarness;
beforeAll(async () => {
  harness = await startConformanceHarness();
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
});

/** The runner with its default settings, which uses Responses. Its traces would go to OpenAI. */
async function givenRunner() {
  const { secret: apiKey, accountId } = await harness.givenKey();
  const openAIClient = new OpenAI({ baseURL: harness.baseURL, apiKey });
  const runner = new Runner({ modelProvider: new OpenAIProvider({ openAIClient }), tracingDisabled: true });
  return { runner, accountId };
}

const weather = tool({
  name: 'weather',
  description: 'How it is outside.',
  parameters: z.object({ city: z.string() }),
  execute: () => '18 degrees',
});
const agent = new Agent({ name: 'Guide', instructions: 'Be brief.', model: 'echo', tools: [weather] });

it('runs an agent with a tool until its end', async () => {
  const { runner, accountId } = await givenRunner();
  const { finalOutput, rawResponses } = await runner.run(agent, 'Please call weather.');
  expect(finalOutput).toMatch(/^The tool says 18 degrees\./);
  expect(rawResponses).toHaveLength(2);
  expect(lastAsked(harness).messages.map(({ role }) => role)).toEqual([
    'system',
    'user',
    'assistant',
    'tool',
  ]);
  expect(await harness.chargesOf(accountId)).toHaveLength(2);
});

it('streams an agent with a tool until its end', async () => {
  const { runner, accountId } = await givenRunner();
  const result = await runner.run(agent, 'Please call weather.', { stream: true });
  let text = '';
  for await (const piece of result.toTextStream()) text += piece;
  await result.completed;
  expect(text).toBe(result.finalOutput);
  expect(text).toMatch(/^The tool says 18 degrees\./);
  expect(await harness.chargesOf(accountId)).toHaveLength(2);
});

it('continues a conversation, also with a reasoning model', async () => {
  const { runner } = await givenRunner();
  const thinker = new Agent({ name: 'Thinker', model: 'reasons' });
  const first = await runner.run(thinker, 'Tell me something.');
  const second = await runner.run(thinker, [...first.history, { role: 'user', content: 'And then?' }]);
  expect(second.finalOutput).toBeTruthy();
  const [, said] = lastAsked(harness).messages as { reasoning_content?: string; content?: unknown }[];
  expect(said?.reasoning_content).toBeTruthy();
  expect(said?.content).toEqual([{ type: 'text', text: first.finalOutput }]);
});

it('gets typed output', async () => {
  const { runner } = await givenRunner();
  const outputType = z.object({ city: z.string(), degrees: z.int() });
  const typed = new Agent({ name: 'Typed', model: 'echo', outputType });
  const { finalOutput } = await runner.run(typed, 'Tell me something.');
  expect(outputType.parse(finalOutput)).toEqual(finalOutput);
});
