import { chatCompletion, chatCompletionChunk, type CompletionUsage } from '@farebox/api';
import type { WireCase, WireResult } from './wire-case';
import { WEATHER } from './weather';

interface Envelope {
  error?: { code: string };
}

export const chatCase: WireCase = {
  name: 'chat completions',
  path: '/v1/chat/completions',
  idPrefix: 'chatcmpl-',
  body: ({ model, prompt, stream, maxTokens, tool }) => ({
    model,
    messages: [{ role: 'user', content: prompt }],
    max_tokens: maxTokens,
    ...(stream && { stream, stream_options: { include_usage: true } }),
    ...(tool && {
      tools: [{ type: 'function', function: { name: 'weather', parameters: WEATHER } }],
      tool_choice: 'required',
    }),
  }),
  headers: (secret) => ({ authorization: `Bearer ${secret}` }),
  readWhole(json): WireResult {
    const error = (json as Envelope).error?.code;
    if (error !== undefined) return { id: '', text: '', calls: [], usage: undefined, error, isWhole: false };
    const { id, choices, usage } = chatCompletion.parse(json);
    const message = choices[0]?.message;
    return {
      id,
      text: message?.content ?? '',
      calls: (message?.tool_calls ?? []).map((call) => call.function.name),
      usage: usageOf(usage),
      error,
      isWhole: true,
    };
  },
  readStream(events): WireResult {
    const isWhole = events.at(-1) === '[DONE]';
    const data = events.filter((event) => event !== '[DONE]').map((event) => JSON.parse(event) as Envelope);
    const error = data.find((event) => event.error)?.error?.code;
    const chunks = data.filter((event) => !event.error).map((event) => chatCompletionChunk.parse(event));
    const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta));
    const usage = chunks.at(-1)?.usage;
    return {
      id: chunks[0]?.id ?? '',
      text: deltas.map(({ content }) => content ?? '').join(''),
      calls: deltas
        .flatMap(({ tool_calls: calls }) => calls ?? [])
        .flatMap((call) => call.function?.name ?? []),
      usage: usage ? usageOf(usage) : undefined,
      error,
      isWhole,
    };
  },
  textOf(event) {
    if (event === '[DONE]') return '';
    const { choices } = JSON.parse(event) as { choices?: { delta: { content?: string | null } }[] };
    return (choices ?? []).map(({ delta }) => delta.content ?? '').join('');
  },
  nameOf: (code) => code,
};

const usageOf = ({ prompt_tokens, completion_tokens, cost }: CompletionUsage): WireResult['usage'] => ({
  inputTokens: prompt_tokens,
  outputTokens: completion_tokens,
  cost,
});
