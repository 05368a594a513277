import { createHash } from 'node:crypto';
import type { Dialect, Upstream } from '@farebox/catalog';

/** OpenAI accepts no longer ids, and Anthropic no other characters. All accept the ids of this service. */
const TAKEN: Readonly<Record<Upstream['wire'], RegExp>> = {
  chat: /^[^]{1,40}$/,
  responses: /^[^]{1,64}$/,
  messages: /^[a-zA-Z0-9_-]{1,64}$/,
};

/** The form of Mistral's ids. */
const ALPHANUMERIC_9 = /^[A-Za-z0-9]{9}$/;
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/**
 * Converts a call id to one that the server accepts: the conversation may contain ids of another server. A
 * call and its result keep the same id, and different ids stay different.
 */
export function toServerCallId(id: string, wire: Upstream['wire'], form: Dialect['callIds'] = 'any'): string {
  if ((form === 'any' ? TAKEN[wire] : ALPHANUMERIC_9).test(id)) return id;
  const digest = createHash('sha256').update(id).digest();
  if (form === 'any') return `call_${digest.toString('hex').slice(0, 32)}`;
  return Array.from(digest.subarray(0, 9), (byte) => LETTERS[byte % LETTERS.length]).join('');
}
