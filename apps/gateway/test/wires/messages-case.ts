import { createdMessage, messageEvent, type MessageEvent, type MessageUsage } from '@farebox/api';
import type { WireCase, WireResult } from './wire-case';
import { WEATHER } from './weather';

export const messagesCase: WireCase = {
  name: 'messages',
  path: '/v1/messages',
  idPrefix: 'msg_',
  body: ({ model, prompt, stream, maxTokens, tool }) => ({
    model,
    messages: [{ role: 'user', content: prompt }],
    max_tokens: maxTokens,
    ...(stream && { stream }),
    ...(tool && {
      tools: [{ name: 'weather', input_schema: WEATHER }],
      tool_choice: { type: 'any' },
    }),
  }),
  headers: (secret) => ({ 'x-api-key': secret, 'anthropic-version': '2023-06-01' }),
  readWhole(json): WireResult {
    const { error } = json as { error?: { code: string } };
    if (error) return { id: '', text: '', calls: [], usage: undefined, error: error.code, isWhole: false };
    const { id, content, usage } = createdMessage.parse(json);
    const texts = content.map((block) => (block.type === 'text' ? block.text : ''));
    const calls = content.flatMap((block) => (block.type === 'tool_use' ? [block.name] : []));
    return { id, text: texts.join(''), calls, usage: usageOf(usage), error: undefined, isWhole: true };
  },
  readStream(data): WireResult {
    const events = data.map((event) => messageEvent.parse(JSON.parse(event)));
    const [start] = eventsOf(events, 'message_start');
    const [end] = eventsOf(events, 'message_delta');
    const [failure] = eventsOf(events, 'error');
    const deltas = eventsOf(events, 'content_block_delta').map(({ delta }) => delta);
    const blocks = eventsOf(events, 'content_block_start').map((event) => event.content_block);
    return {
      id: start?.message.id ?? '',
      text: deltas.map((delta) => (delta.type === 'text_delta' ? delta.text : '')).join(''),
      calls: blocks.flatMap((block) => (block.type === 'tool_use' ? [block.name] : [])),
      usage: end && usageOf(end.usage),
      error: failure?.error.code,
      isWhole: events.at(-1)?.type === 'message_stop',
    };
  },
  textOf(event) {
    const { delta } = JSON.parse(event) as { delta?: { text?: string } };
    return delta?.text ?? '';
  },
  nameOf: (code) => code,
};

function eventsOf<Type extends MessageEvent['type']>(
  events: readonly MessageEvent[],
  type: Type,
): Extract<MessageEvent, { type: Type }>[] {
  return events.filter((event): event is Extract<MessageEvent, { type: Type }> => event.type === type);
}

const usageOf = (usage: MessageUsage): WireResult['usage'] => ({
  inputTokens: usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens,
  outputTokens: usage.output_tokens,
  cost: usage.cost ?? '',
});
