import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiError } from '@farebox/errors';
import { givenUpstream } from '../../test/fake-completion';
import { USUAL_SPEECH } from '../upstream/speech';
import { toSentBody, toUpstreamBody } from '../upstream/upstream-body';
import { chatWire } from './chat/chat-wire';
import { responsesWire } from './responses/responses-wire';
import type { Wire } from './wire';

const TOOLS = [{ type: 'function', function: { name: 'f', parameters: {} } }];

/** A value from the published description for each field. */
const CHAT: Record<string, unknown> = {
  audio: { format: 'wav', voice: 'alloy' },
  frequency_penalty: -2,
  function_call: 'none',
  functions: [{ name: 'f', parameters: {} }],
  logit_bias: { 50256: -100 },
  logprobs: true,
  max_completion_tokens: 5,
  max_tokens: 5,
  messages: [{ role: 'developer', content: 'Hi', name: 'ada' }],
  metadata: { about: 'trams' },
  modalities: ['text'],
  model: 'm',
  moderation: { model: 'omni-moderation-latest' },
  n: 2,
  parallel_tool_calls: true,
  prediction: { type: 'content', content: 'Hi' },
  presence_penalty: -2,
  prompt_cache_key: 'k',
  prompt_cache_options: { mode: 'implicit', ttl: '30m' },
  prompt_cache_retention: '24h',
  reasoning_effort: 'low',
  response_format: { type: 'json_object' },
  safety_identifier: 'a',
  seed: 7,
  service_tier: 'auto',
  stop: '\n',
  store: true,
  stream: true,
  stream_options: { include_usage: true },
  temperature: 1,
  tool_choice: 'auto',
  tools: TOOLS,
  top_logprobs: 2,
  top_p: 1,
  user: 'ada',
  verbosity: 'low',
  web_search_options: { search_context_size: 'low' },
};

const RESPONSES: Record<string, unknown> = {
  background: true,
  context_management: [{ type: 'compaction', compact_threshold: 1_000 }],
  conversation: 'conv_1',
  include: ['message.output_text.logprobs'],
  input: [{ role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }],
  instructions: 'Be kind.',
  max_output_tokens: 20,
  max_tool_calls: 3,
  metadata: { about: 'trams' },
  model: 'm',
  moderation: { model: 'omni-moderation-latest' },
  parallel_tool_calls: true,
  previous_response_id: 'resp_1',
  prompt: { id: 'pmpt_1' },
  prompt_cache_key: 'k',
  prompt_cache_options: { mode: 'implicit' },
  prompt_cache_retention: '24h',
  reasoning: { effort: 'low', summary: 'auto' },
  safety_identifier: 'a',
  service_tier: 'auto',
  store: true,
  stream: true,
  stream_options: { include_obfuscation: true },
  temperature: 1,
  text: { format: { type: 'json_object' }, verbosity: 'low' },
  tool_choice: 'auto',
  tools: [{ type: 'function', name: 'f', parameters: {}, strict: true }],
  top_logprobs: 2,
  top_p: 1,
  truncation: 'auto',
  user: 'ada',
};

const EMBEDDINGS = ['dimensions', 'encoding_format', 'input', 'model', 'user'];

/** The described fields of each kind of object in a response. */
const DESCRIBED: Record<string, readonly string[]> = {
  'chat completion': words(
    'choices created id metadata model moderation object service_tier',
    'system_fingerprint usage',
  ),
  chunk: words(
    'choices created id model moderation object obfuscation service_tier',
    'system_fingerprint usage',
  ),
  message: words('annotations audio content function_call refusal role tool_calls'),
  'usage, of the prompt': words('audio_tokens cache_write_tokens cached_tokens image_tokens text_tokens'),
  'usage, of the output': words(
    'accepted_prediction_tokens audio_tokens reasoning_tokens',
    'rejected_prediction_tokens text_tokens',
  ),
  response: words(
    'background completed_at conversation created_at error id incomplete_details instructions',
    'max_output_tokens max_tool_calls metadata model moderation object output output_text',
    'parallel_tool_calls previous_response_id prompt prompt_cache_key prompt_cache_options',
    'prompt_cache_retention reasoning safety_identifier service_tier status temperature text tool_choice',
    'tools top_logprobs top_p truncation usage user',
  ),
  'list of embeddings': words('data model object usage'),
  model: words('created id object owned_by shutdown_date'),
};

function words(...lines: string[]): string[] {
  return lines.flatMap((line) => line.split(' '));
}

/** Fields that must accompany others. */
const GOES_WITH: Record<string, object> = {
  parallel_tool_calls: { tools: TOOLS },
  tool_choice: { tools: TOOLS },
  top_logprobs: { logprobs: true },
  stream_options: { stream: true },
};

const OF_RESPONSES_GOES_WITH: Record<string, object> = {
  parallel_tool_calls: { tools: RESPONSES['tools'] },
  tool_choice: { tools: RESPONSES['tools'] },
  stream_options: { stream: true },
};

const page = readFileSync(join(__dirname, '../../../../docs/use/compatibility.md'), 'utf8');

/** The page's statement about each field. */
function documented(heading: string): Record<string, string> {
  const section = page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? '';
  const rows = section.matchAll(/^\| `(\w+)` +\| (\w+(?: out)?) +\|/gm);
  return Object.fromEntries([...rows].map(([, field = '', here = '']) => [field, here]));
}

const IDENTITY = { id: 'chatcmpl-1', created: 0, model: 'm' };
const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2, cost: '0.000000001' };

/** All effects of a request: the body sent upstream, and the end of the stream for a chat completion. */
function effectOf(wire: Wire, request: object): string {
  const { body, writer } = wire.read(request);
  const { model, max_completion_tokens, max_tokens, stream } = body;
  const sent = toSentBody({ request: body, extraFields: {}, maxOutputTokens: 1 }, USUAL_SPEECH);
  const upstreamBody = toUpstreamBody(sent, givenUpstream, {
    upstreamModel: 'upstream-model',
    written: undefined,
    markIn: () => 'mark',
    inTurn: (work) => work(),
  }) as string;
  const end = wire === chatWire ? writer.toEnd(IDENTITY, USAGE) : '';
  return JSON.stringify([upstreamBody, model, max_completion_tokens ?? max_tokens, stream, end]);
}

/** How a wire treats a field. */
function doneWith(wire: Wire, base: object, [field, value]: [string, unknown]): string {
  try {
    const request = { ...base, [field]: value };
    if (wire.read(request).unknown.own.has(field)) return 'left out';
    return effectOf(wire, base) === effectOf(wire, request) ? 'taken' : 'served';
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    expect(error).toMatchObject({ code: 'invalid_request_error' });
    expect(error.param).toContain(field);
    return 'refused';
  }
}

describe('the page of differences states how each field is treated', () => {
  it.each([
    ['Chat completions', chatWire, CHAT, { model: 'other', messages: [{ role: 'user', content: 'Hello' }] }],
    ['Responses', responsesWire, RESPONSES, { model: 'other', input: 'Hello' }],
  ] as const)('on %s', (heading, wire, fields, base) => {
    const done = Object.entries(fields).map((entry) => {
      const goesWith = wire === chatWire ? GOES_WITH[entry[0]] : OF_RESPONSES_GOES_WITH[entry[0]];
      return [entry[0], doneWith(wire, { ...base, ...goesWith }, entry)];
    });
    expect(Object.fromEntries(done)).toEqual(documented(heading));
  });
});

interface Schema {
  $ref?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
}

/** The fields of an object in our own description, by its path. */
function ownFields(schema: string, ...path: string[]): string[] {
  const own = readFileSync(join(__dirname, '../../../../docs/use/openapi.json'), 'utf8');
  const { schemas } = (JSON.parse(own) as { components: { schemas: Record<string, Schema> } }).components;
  const resolved = (at: Schema | undefined): Schema =>
    at?.$ref === undefined ? (at ?? {}) : resolved(schemas[at.$ref.split('/').at(-1) ?? '']);
  const found = path.reduce((at, name) => {
    const next = resolved(resolved(at).properties?.[name]);
    return next.items ?? next;
  }, schemas[schema] ?? {});
  return Object.keys(resolved(found).properties ?? {});
}

const OWN: Record<string, string[]> = {
  'chat completion': ownFields('ChatCompletion'),
  chunk: ownFields('ChatCompletionChunk'),
  message: ownFields('ChatCompletion', 'choices', 'message'),
  'usage, of the prompt': ownFields('ChatCompletion', 'usage', 'prompt_tokens_details'),
  'usage, of the output': ownFields('ChatCompletion', 'usage', 'completion_tokens_details'),
  response: ownFields('ResponsesResponse'),
  'list of embeddings': ownFields('EmbeddingsList'),
  model: ownFields('Model'),
};

describe('the page of differences states', () => {
  it('how each field of embeddings is treated', () => {
    expect(documented('Embeddings')).toEqual(
      Object.fromEntries(EMBEDDINGS.map((field) => [field, field === 'user' ? 'taken' : 'served'])),
    );
    expect(ownFields('EmbeddingsRequest').toSorted()).toEqual(EMBEDDINGS);
  });

  it('which fields no response has', () => {
    const section = page.split(/^## /m).find((text) => text.startsWith('Not supported in responses')) ?? '';
    const listed = [...section.matchAll(/^\| ([a-z, ]+?) +\| `(\w+)` +\|/gm)];
    const missing = Object.entries(DESCRIBED).flatMap(([of, fields]) =>
      fields.filter((field) => !OWN[of]?.includes(field)).map((field) => `${of}: ${field}`),
    );
    expect(listed.map(([, of = '', field = '']) => `${of}: ${field}`)).toEqual(missing);
  });
});
