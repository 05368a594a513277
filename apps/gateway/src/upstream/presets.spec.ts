import { parseCatalog, type Dialect } from '@farebox/catalog';
import { chatCompletionRequest, parseBody, type ChatCompletionRequest } from '@farebox/api';
import { toServedRequest } from '../wires/chat/served-request';
import { speechOf } from './speech';
import { toSentBody } from './upstream-body';

/**
 * The same conversation in the form of each vendor. The comments name where that is documented or reported.
 */

const CALL_ID = 'call_0123456789abcdef';
const signature = { google: { thought_signature: 'CqsBAdHtim9' } };

const conversation = {
  model: 'm',
  messages: [
    { role: 'developer', content: 'Be brief.' },
    { role: 'user', content: 'Weather?', name: 'ann' },
    {
      role: 'assistant',
      content: null,
      refusal: 'Not that.',
      reasoning_content: 'Look it up.',
      tool_calls: [
        {
          id: CALL_ID,
          type: 'function',
          extra_content: signature,
          function: { name: 'w', arguments: '{}' },
        },
      ],
    },
    { role: 'tool', tool_call_id: CALL_ID, content: '20' },
  ],
  tools: [{ type: 'function', function: { name: 'w' } }],
  seed: 7,
  logit_bias: { '1': 1 },
};

interface SentMessage {
  role: string;
  content?: unknown;
  name?: string;
  tool_call_id?: string;
  tool_calls?: { id: string; extra_content?: unknown }[];
  [field: string]: unknown;
}

interface Sent {
  messages: SentMessage[];
  [field: string]: unknown;
}

function upstreamOf(preset: string, more = '') {
  const catalog = `
upstreams: [{ id: u, base_url: "https://u.example/v1", preset: ${preset}${more} }]
models: [{ id: m, routes: [{ upstream: u, model: up }], input_price: 1, output_price: 1, context_window: 100, max_output_tokens: 50 }]`;
  const [upstream] = parseCatalog(catalog, {}).upstreams;
  if (!upstream) throw new Error('there is no upstream');
  return upstream;
}

const read = (request: object): ChatCompletionRequest =>
  toServedRequest(parseBody(chatCompletionRequest, JSON.parse(JSON.stringify(request))));

function sentTo(preset: string, request: object = conversation): Sent {
  const asked = { request: read(request), extraFields: {}, maxOutputTokens: 50 };
  return toSentBody(asked, speechOf(upstreamOf(preset))).fields as unknown as Sent;
}

const assistantOf = ({ messages }: Sent): SentMessage | undefined =>
  messages.find(({ role }) => role === 'assistant');

it('Mistral gets no thoughts, names or refusals, ids of nine letters or digits, and its own field for the seed', () => {
  // docs.mistral.ai, chat completion: closed schemas; karthink/gptel#1203; charmbracelet/crush#1590.
  const sent = sentTo('mistral');
  const [call] = assistantOf(sent)?.tool_calls ?? [];
  expect(call?.id).toMatch(/^[A-Za-z0-9]{9}$/);
  expect(sent.messages).toEqual([
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Weather?' },
    {
      role: 'assistant',
      content: 'Not that.',
      tool_calls: [{ id: call?.id, type: 'function', function: { name: 'w', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: call?.id, content: '20' },
  ]);
  expect(sent).toMatchObject({ random_seed: 7 });
  expect(sent).not.toHaveProperty('seed');
  expect(sent).not.toHaveProperty('logit_bias');
});

it('two calls get two ids for Mistral, and its own id stays', () => {
  const ids = ['call_a', 'call_b', 'gSIMJiOkT'];
  const called = ids.map((id) => ({ id, type: 'function', function: { name: 'w', arguments: '{}' } }));
  const results = ids.map((id) => ({ role: 'tool', tool_call_id: id, content: 'x' }));
  const messages = [{ role: 'assistant', content: null, tool_calls: called }, ...results];
  const sent = sentTo('mistral', { ...conversation, messages });
  const sentIds = assistantOf(sent)?.tool_calls?.map(({ id }) => id) ?? [];
  expect(new Set(sentIds).size).toBe(3);
  expect(sentIds[2]).toBe('gSIMJiOkT');
  expect(sent.messages.slice(1).map(({ tool_call_id: id }) => id)).toEqual(sentIds);
});

it('Groq gets no thoughts, names, refusals or biases', () => {
  // console.groq.com/docs/openai, "Currently unsupported OpenAI features"; janhq/jan#8136.
  const sent = sentTo('groq');
  expect(assistantOf(sent)).toEqual({
    role: 'assistant',
    content: 'Not that.',
    tool_calls: [{ id: CALL_ID, type: 'function', function: { name: 'w', arguments: '{}' } }],
  });
  expect(sent.messages.some((message) => 'name' in message)).toBe(false);
  expect(sent).not.toHaveProperty('logit_bias');
  expect(sent).toMatchObject({ seed: 7 });
});

it('Gemini gets the signature of a call back, and its placeholder for a call without one', () => {
  // ai.google.dev, "Thought signatures"; labring/aiproxy#450; 0xsline/OpenChatCut#6.
  expect(assistantOf(sentTo('gemini'))?.tool_calls?.[0]?.extra_content).toEqual(signature);
  const text = JSON.stringify(conversation).replace(`"extra_content":${JSON.stringify(signature)},`, '');
  expect(assistantOf(sentTo('gemini', JSON.parse(text) as object))?.tool_calls?.[0]?.extra_content).toEqual({
    google: { thought_signature: 'skip_thought_signature_validator' },
  });
});

it('DeepSeek gets its thoughts back, and instructions under a role that it knows', () => {
  // api-docs.deepseek.com, "Thinking mode"; theopenco/llmgateway#3462.
  const sent = sentTo('deepseek');
  expect(sent.messages[0]?.role).toBe('system');
  expect(assistantOf(sent)).toMatchObject({ reasoning_content: 'Look it up.' });
});

it('OpenRouter gets the details of a thought, or its text if there are none', () => {
  // openrouter.ai/docs, "Reasoning tokens", preserving reasoning.
  expect(assistantOf(sentTo('openrouter'))).toMatchObject({ reasoning: 'Look it up.' });
  const details = [{ type: 'reasoning.text', text: 'Look it up.', signature: 's' }];
  const messages = conversation.messages.map((message) =>
    message.role === 'assistant' ? { ...message, reasoning_details: details } : message,
  );
  const sent = assistantOf(sentTo('openrouter', { ...conversation, messages }));
  expect(sent).toMatchObject({ reasoning_details: details });
  expect(sent).not.toHaveProperty('reasoning');
});

it('vLLM gets thoughts under their newer name, and a cache_salt that separates customers', () => {
  // docs.vllm.ai, "Reasoning outputs" and "Automatic prefix caching".
  expect(assistantOf(sentTo('vllm'))).toMatchObject({ reasoning: 'Look it up.' });
  expect(upstreamOf('vllm').promptCache).toBe('cache_salt');
});

it.each(['perplexity', 'xai'])('%s gets neither the role developer nor biases', (preset) => {
  // docs.perplexity.ai, chat completions; docs.x.ai, chat completions.
  const sent = sentTo(preset);
  expect(sent.messages[0]?.role).toBe('system');
  expect(sent).not.toHaveProperty('logit_bias');
});

it('Anthropic is asked by Messages, OpenAI by Responses, and Azure with a key in its own header', () => {
  // docs.anthropic.com, messages; platform.openai.com, responses; learn.microsoft.com, Azure OpenAI reference.
  expect(upstreamOf('anthropic')).toMatchObject({ wire: 'messages' });
  expect(upstreamOf('openai')).toMatchObject({ wire: 'responses', promptCache: 'prompt_cache_key' });
  const azure = upstreamOf('azure', ', dialect: { api_version: 2025-04-01-preview }');
  expect(azure).toMatchObject({
    wire: 'chat',
    maxTokensField: 'max_completion_tokens',
    dialect: { auth: 'api-key', apiVersion: '2025-04-01-preview' } satisfies Partial<Dialect>,
  });
});

it('settings of the catalogue take precedence over a preset', () => {
  const upstream = upstreamOf(
    'mistral',
    ', dialect: { role_developer: developer }, max_tokens_field: max_completion_tokens',
  );
  expect(upstream).toMatchObject({
    maxTokensField: 'max_completion_tokens',
    dialect: { roleDeveloper: 'developer', callIds: 'alphanumeric_9' },
  });
});

it('an unknown server gets the chat request unchanged', () => {
  const catalog = upstreamOf('openrouter', ', dialect: { history_reasoning: reasoning_content }');
  const { fields } = toSentBody(
    { request: read(conversation), extraFields: {}, maxOutputTokens: 50 },
    speechOf(catalog),
  );
  expect(fields['messages']).toEqual(
    conversation.messages.map((message) =>
      message.role === 'developer' ? { ...message, role: 'system' } : message,
    ),
  );
});
