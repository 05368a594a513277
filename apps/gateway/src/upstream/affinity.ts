import { createHash } from 'node:crypto';
import type { Route } from '@farebox/catalog';
import type { ChatCompletionRequest } from '@farebox/api';

/**
 * Keeps a conversation to one route of a model, so that the prompt cache there is of use: its next turn begins with what
 * its last one was. Conversations of one customer are spread over the routes by their weights, as requests would be.
 *
 * A conversation is what the client says that it is (`prompt_cache_key`, else `user`), else what its messages begin with,
 * up to the first of the user's: another turn changes nothing of that. Whose it is counts too: a customer cannot tell by
 * their own requests where those of others go.
 */
export function drawFor(accountId: string, request: ChatCompletionRequest): (route: Route) => number {
  const conversation = createHash('sha256').update(accountId).update(nameOf(request)).digest();
  return ({ upstreamId, upstreamModel }) =>
    createHash('sha256')
      .update(conversation)
      .update(JSON.stringify([upstreamId, upstreamModel]))
      .digest()
      .readUIntBE(0, DRAWN_BYTES) /
    2 ** (8 * DRAWN_BYTES);
}

const DRAWN_BYTES = 6;

function nameOf({ prompt_cache_key: key, user, messages }: ChatCompletionRequest): string {
  if (key != null) return `key ${key}`;
  if (user != null) return `user ${user}`;
  const first = messages.findIndex(({ role }) => role === 'user');
  const opening = first < 0 ? messages.slice(0, 1) : messages.slice(0, first + 1);
  return `opening ${opening.map(({ role, content }) => `${role} ${excerptOf(content)}`).join('\n')}`;
}

/** Of a text: hashing the whole of a long one would keep others waiting. */
const EXCERPT_LENGTH = 4_096;

function excerptOf(content: ChatCompletionRequest['messages'][number]['content']): string {
  if (content == null) return '';
  if (typeof content !== 'string') return content.map((part) => excerptOf(textOf(part))).join('\n');
  if (content.length <= 2 * EXCERPT_LENGTH) return content;
  return `${String(content.length)} ${content.slice(0, EXCERPT_LENGTH)} ${content.slice(-EXCERPT_LENGTH)}`;
}

type Part = Exclude<NonNullable<ChatCompletionRequest['messages'][number]['content']>, string>[number];

function textOf(part: Part): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'refusal':
      return part.refusal;
    case 'image_url':
      return part.image_url.url;
    case 'file':
      return part.file.file_data;
  }
}
