import { createHash } from 'node:crypto';
import type { Dialect, Upstream } from '@farebox/catalog';

/** OpenAI takes no longer ones, and Anthropic none with other characters. All take those that the service makes. */
const TAKEN: Readonly<Record<Upstream['wire'], RegExp>> = {
  chat: /^[^]{1,40}$/,
  responses: /^[^]{1,64}$/,
  messages: /^[a-zA-Z0-9_-]{1,64}$/,
};

/** Mistral's. */
const ALPHANUMERIC_9 = /^[A-Za-z0-9]{9}$/;
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/**
 * The id of a call as a server takes it: a conversation may have been begun with another, whose ids it has. A call and its
 * result have the same, and different ones stay different.
 */
export function toServerCallId(id: string, wire: Upstream['wire'], form: Dialect['callIds'] = 'any'): string {
  if ((form === 'any' ? TAKEN[wire] : ALPHANUMERIC_9).test(id)) return id;
  const digest = createHash('sha256').update(id).digest();
  if (form === 'any') return `call_${digest.toString('hex').slice(0, 32)}`;
  return Array.from(digest.subarray(0, 9), (byte) => LETTERS[byte % LETTERS.length]).join('');
}
