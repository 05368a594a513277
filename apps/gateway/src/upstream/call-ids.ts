import { createHash } from 'node:crypto';
import type { Upstream } from '@farebox/catalog';

/** OpenAI takes no longer ones, and Anthropic none with other characters. Both take those that the service makes. */
const TAKEN: Readonly<Record<Upstream['wire'], RegExp>> = {
  chat: /^[^]{1,40}$/,
  messages: /^[a-zA-Z0-9_-]{1,64}$/,
};

/**
 * The id of a call as a server takes it: a conversation may have been begun with another, whose ids it has. A call and its
 * result have the same, and different ones stay different.
 */
export function toServerCallId(id: string, wire: Upstream['wire']): string {
  if (TAKEN[wire].test(id)) return id;
  return `call_${createHash('sha256').update(id).digest('hex').slice(0, 32)}`;
}
