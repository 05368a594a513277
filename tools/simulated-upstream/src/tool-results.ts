import type { ChatRequest } from './chat-request';
import { textOf } from './message-text';

const LONGEST_QUOTATION = 200;

/** A sentence for each tool that has answered since the last user message, so that the client sees it arrive. */
export function toolResultsOf({ messages }: ChatRequest): string {
  const lastUserAt = messages.findLastIndex(({ role }) => role === 'user');
  return messages
    .slice(lastUserAt + 1)
    .filter(({ role }) => role === 'tool')
    .map((message) => `The tool says ${textOf(message).slice(0, LONGEST_QUOTATION)}. `)
    .join('');
}
