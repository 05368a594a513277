import OpenAI from 'openai';
import { zodTextFormat } from 'openai/helpers/zod';
import type {
  Response,
  ResponseInput,
  ResponseInputItem,
  ResponseOutputItem,
} from 'openai/resources/responses/responses';
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
  return { openai: new OpenAI({ baseURL: harness.baseURL, apiKey: secret, maxRetries: 0 }), accountId };
}

const input = 'Tell me something.';
/** The output goes back unchanged. The SDK's two types differ in items that no model here returns. */
const asInput = (output: readonly ResponseOutputItem[]) => output as ResponseInputItem[];
const weather = z.object({ city: z.string(), degrees: z.int() });
const weatherTool = {
  type: 'function' as const,
  name: 'weather',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  strict: false,
};

it('responds and reports the cost', async () => {
  const { openai, accountId } = await givenClient();
  const response = await openai.responses.create({ model: 'echo', input, instructions: 'Be brief.' });
  expect(response.output_text).toMatch(/\.$/);
  expect(response).toMatchObject({ status: 'completed', model: 'echo', store: false });
  expect(response._request_id).toMatch(/^req_/);
  expect(await harness.chargesOf(accountId)).toEqual([costIn(response.usage)]);
  expect(lastAsked(harness).messages.map(({ role }) => role)).toEqual(['system', 'user']);
});

it('streams and reports the cost at the end', async () => {
  const { openai, accountId } = await givenClient();
  const stream = openai.responses.stream({ model: 'split', input });
  const pieces: string[] = [];
  stream.on('response.output_text.delta', ({ delta }) => pieces.push(delta));
  const response = await stream.finalResponse();
  expect(pieces.length).toBeGreaterThan(10);
  expect(response.output_text).toBe(pieces.join(''));
  expect(response.output_text).toContain('Zürich, 東京, 🙂🚀');
  expect(await harness.chargesOf(accountId)).toEqual([costIn(response.usage)]);
});

it.each([false, true])('runs a tool loop until the answer (streamed: %s)', async (stream) => {
  const { openai, accountId } = await givenClient();
  const asked: ResponseInput = [{ role: 'user', content: 'Please call weather and call time.' }];
  const tools = [weatherTool, { ...weatherTool, name: 'time' }];
  const respond = async (): Promise<Response> => {
    const params = { model: 'echo', input: asked, tools };
    return stream ? await openai.responses.stream(params).finalResponse() : openai.responses.create(params);
  };
  const first = await respond();
  const calls = first.output.filter((item) => item.type === 'function_call');
  expect(calls.map(({ name }) => name)).toEqual(['weather', 'time']);
  for (const { call_id, name, arguments: args } of calls) {
    expect(JSON.parse(args)).toEqual({ city: expect.any(String) as string });
    asked.push({ type: 'function_call_output', call_id, output: name === 'time' ? 'noon' : 'sunny' });
  }
  asked.splice(1, 0, ...asInput(first.output));
  const second = await respond();
  expect(second.output_text).toMatch(/^The tool says sunny\. The tool says noon\./);
  expect(lastAsked(harness).messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool']);
  expect(await harness.chargesOf(accountId)).toHaveLength(2);
});

it('gets JSON that follows a schema, with and without a stream', async () => {
  const { openai } = await givenClient();
  const asked = { model: 'echo', input, text: { format: zodTextFormat(weather, 'weather') } };
  const { output_parsed: parsed, output_text: text } = await openai.responses.parse(asked);
  expect(weather.parse(parsed)).toEqual(JSON.parse(text));
  const streamed = await openai.responses.stream(asked).finalResponse();
  expect(streamed.output_parsed).toEqual(parsed);
});

it('gets the reasoning, and sends it back with the conversation', async () => {
  const { openai } = await givenClient();
  const reasoning = { summary: 'auto' } as const;
  const first = await openai.responses.stream({ model: 'reasons', input, reasoning }).finalResponse();
  const [reasons] = first.output;
  if (reasons?.type !== 'reasoning') throw new Error('no reasoning was returned');
  const text = reasons.summary[0]?.text;
  expect(text).toBeTruthy();
  await openai.responses.create({
    model: 'reasons',
    input: [
      { role: 'user', content: input },
      ...asInput(first.output),
      { role: 'user', content: 'And then?' },
    ],
  });
  expect(lastAsked(harness).messages[1]).toMatchObject({
    role: 'assistant',
    reasoning_content: text,
    content: [{ type: 'text', text: first.output_text }],
  });
});

it('gets log probabilities', async () => {
  const { openai } = await givenClient();
  const { output, output_text } = await openai.responses.create({
    model: 'echo',
    input,
    include: ['message.output_text.logprobs'],
    top_logprobs: 3,
  });
  const [message] = output;
  const part = message?.type === 'message' ? message.content[0] : undefined;
  const logprobs = part?.type === 'output_text' ? part.logprobs : undefined;
  expect(logprobs?.map(({ token }) => token).join('')).toBe(output_text);
  expect(logprobs?.[0]?.top_logprobs).toHaveLength(3);
});

it('reports that the output reached its limit', async () => {
  const { openai } = await givenClient();
  const asked = { model: 'long', input, max_output_tokens: 16 };
  const incomplete = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
  expect(await openai.responses.create(asked)).toMatchObject(incomplete);
  expect(await openai.responses.stream(asked).finalResponse()).toMatchObject(incomplete);
});

it('aborts a stream: the model stops, and the delivered part is charged', async () => {
  const { openai, accountId } = await givenClient();
  const stream = await openai.responses.create({
    model: 'paced-long',
    input,
    max_output_tokens: LONG_ANSWER_TOKENS,
    stream: true,
  });
  let pieces = 0;
  for await (const event of stream) {
    if (event.type === 'response.output_text.delta') pieces++;
    if (pieces === 5) break;
  }
  await expectLeft(harness, accountId);
});

it('reports a stream that breaks off, with its code', async () => {
  const { openai } = await givenClient();
  const stream = await openai.responses.create({ model: 'breaks', input, stream: true });
  const types: string[] = [];
  const reading = (async () => {
    for await (const { type } of stream) types.push(type);
  })();
  await expect(reading).rejects.toMatchObject({ code: 'service_unavailable' });
  expect(types).toContain('response.output_text.delta');
});

it('reports unsupported requests in words', async () => {
  const { openai } = await givenClient();
  const refusal = await openai.responses
    .create({ model: 'echo', input, previous_response_id: 'resp_1' })
    .catch((thrown: unknown) => thrown);
  expect(refusal).toBeInstanceOf(OpenAI.BadRequestError);
  expect(refusal).toMatchObject({
    status: 400,
    code: 'invalid_request_error',
    param: 'previous_response_id',
    message: expect.stringContaining('no response is stored') as string,
  });
});

it('continues without tools that OpenAI would run, and names them', async () => {
  const { openai } = await givenClient();
  const asked = { model: 'echo', input, tools: [{ type: 'web_search' as const }] };
  const { data, response } = await openai.responses.create(asked).withResponse();
  expect(data.output_text).toBeTruthy();
  expect(response.headers.get('x-ignored-fields')).toBe('tools.web_search');
});
