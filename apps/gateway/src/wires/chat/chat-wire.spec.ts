import type { ChatCompletionChunk } from '@farebox/api';
import { toEvent } from '../wire';
import { chatWriter, toChunk } from './chat-wire';

type Choices = ChatCompletionChunk['choices'];

const OF = { id: 'chatcmpl-1', created: 1, model: 'm' };
const text = { index: 0, delta: { content: 'one "two"\n\ud83d' }, finish_reason: null };

it.each<[string, Choices]>([
  ['with a piece of text', [text]],
  ['of another choice', [{ ...text, index: 7 }]],
  ['with more than that', [{ ...text, delta: { role: 'assistant', content: 'a' } }]],
  ['without text', [{ ...text, delta: { content: null } }]],
  ['with an end', [{ ...text, finish_reason: 'stop' }]],
  ['with log probabilities', [{ ...text, logprobs: null }]],
  ['of two choices', [text, { ...text, index: 1 }]],
  ['of none', []],
])('events %s are JSON of all their content', (_, choices) => {
  expect(chatWriter(false).toChunk(OF, choices)).toBe(toEvent(toChunk(OF, choices, undefined)));
  expect(chatWriter(true).toChunk(OF, choices)).toBe(toEvent(toChunk(OF, choices, null)));
});
