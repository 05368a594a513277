import { responsesEvent, responsesResponse, type ResponsesEvent, type ResponsesResponse } from '@farebox/api';
import { eventsOf } from '../wires';
import { lastAsked, startConformanceHarness, type ConformanceHarness } from './conformance-harness';

/**
 * The cases of the Open Responses specification's own compliance test, run on the simulated models, with the
 * requirements of the specification for fields and streams. The one case left out needs stored responses
 * (`previous_response_id`), which are refused.
 */
let harness: ConformanceHarness;
beforeAll(async () => {
  harness = await startConformanceHarness();
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
});

/** `required` of `ResponseResource`. */
const FIELDS = [
  'id object created_at completed_at status incomplete_details model previous_response_id instructions output error tools',
  'tool_choice truncation parallel_tool_calls text top_p presence_penalty frequency_penalty top_logprobs temperature',
  'reasoning usage max_output_tokens max_tool_calls store background service_tier metadata safety_identifier',
  'prompt_cache_key',
].flatMap((names) => names.split(' '));

const HEART =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const user = (content: unknown) => ({ type: 'message', role: 'user', content });
const weatherTool = {
  type: 'function',
  name: 'get_weather',
  description: 'Get the current weather for a location',
  parameters: {
    type: 'object',
    properties: { location: { type: 'string', description: 'The city and state, e.g. San Francisco, CA' } },
    required: ['location'],
  },
};
const callsWeather = { input: [user("What's the weather? Please call get_weather.")], tools: [weatherTool] };

async function respond(body: object): Promise<Response> {
  const { secret } = await harness.givenKey();
  const response = await fetch(`${harness.baseURL}/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'echo', ...body }),
  });
  expect(response.status).toBe(200);
  return response;
}

async function whole(body: object): Promise<ResponsesResponse> {
  const json: unknown = await (await respond({ ...body, stream: false })).json();
  for (const field of FIELDS) expect(json).toHaveProperty([field]);
  return responsesResponse.parse(json);
}

async function stream(body: object): Promise<{ events: ResponsesEvent[]; response: ResponsesResponse }> {
  const answered = await respond({ ...body, stream: true });
  expect(answered.headers.get('content-type')).toMatch(/^text\/event-stream/);
  const lines = eventsOf(await answered.text());
  expect(lines.at(-1)).toBe('[DONE]');
  const events = lines.slice(0, -1).map((line) => responsesEvent.parse(JSON.parse(line)));
  const last = events.at(-1);
  if (last?.type !== 'response.completed') throw new Error('the stream does not end with response.completed');
  return { events, response: last.response };
}

it.each([
  ['basic-response', { input: [user('Say hello in exactly 3 words.')] }, ['user']],
  [
    'system-prompt',
    { input: [{ type: 'message', role: 'system', content: 'You are a pirate.' }, user('Say hello.')] },
    ['system', 'user'],
  ],
  [
    'multi-turn',
    {
      input: [
        user('My name is Alice.'),
        { type: 'message', role: 'assistant', content: 'Hello Alice! How can I help you today?' },
        user('What is my name?'),
      ],
    },
    ['user', 'assistant', 'user'],
  ],
  [
    'image-input',
    {
      model: 'eyes',
      input: [
        user([
          { type: 'input_text', text: 'What is it?' },
          { type: 'input_image', image_url: HEART },
        ]),
      ],
    },
    ['user'],
  ],
])('%s', async (_id, body, roles) => {
  const response = await whole(body);
  expect(response).toMatchObject({ status: 'completed', output: [{ type: 'message' }] });
  expect(lastAsked(harness).messages.map(({ role }) => role)).toEqual(roles);
});

it('streaming-response', async () => {
  const { events, response } = await stream({ input: [user('Count from 1 to 5.')] });
  expect(response).toMatchObject({ status: 'completed', output: [{ type: 'message' }] });
  const types = events.map(({ type }) => type);
  expect(types.filter((type) => type !== 'response.output_text.delta')).toEqual([
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.content_part.added',
    'response.output_text.done',
    'response.content_part.done',
    'response.output_item.done',
    'response.completed',
  ]);
});

it('tool-calling', async () => {
  const { output } = await whole(callsWeather);
  expect(output).toMatchObject([{ type: 'function_call', status: 'completed', name: 'get_weather' }]);
});

it('tool-calling-streaming', async () => {
  const { events, response } = await stream(callsWeather);
  const ofCall = events.filter((event) => 'item' in event && event.item.type === 'function_call');
  expect(ofCall.map(({ type }) => type)).toEqual(['response.output_item.added', 'response.output_item.done']);
  const args = events.map((event) =>
    event.type === 'response.function_call_arguments.delta' ? event.delta : '',
  );
  const done = events.find((event) => event.type === 'response.function_call_arguments.done');
  expect(done?.arguments).toBe(args.join(''));
  expect(response.output).toMatchObject([{ type: 'function_call', arguments: args.join('') }]);
});
