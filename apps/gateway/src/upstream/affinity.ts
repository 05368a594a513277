import { createHash } from 'node:crypto';
import type { Route } from '@farebox/catalog';
import { isImageData, type ChatCompletionRequest } from '@farebox/api';
import { NOTHING_WRITTEN } from '@farebox/flow';

/**
 * Keeps a conversation on one route of a model so that its prompt cache is used: the next turn begins with
 * the previous one. The conversations of a customer are spread over the routes by weight, as requests would
 * be.
 *
 * A conversation is identified by the client (`prompt_cache_key`, else `user`), or else by its messages up to
 * the first user message, which later turns do not change. The account counts too, so that customers cannot
 * tell from their own requests where those of others go.
 */
export function drawFor(
  accountId: string,
  request: ChatCompletionRequest,
  written: Written = NOTHING_WRITTEN,
): (route: Route) => number {
  const conversation = createHash('sha256').update(accountId).update(nameOf(request, written)).digest();
  return ({ upstreamId, upstreamModel }) =>
    createHash('sha256')
      .update(conversation)
      .update(JSON.stringify([upstreamId, upstreamModel]))
      .digest()
      .readUIntBE(0, DRAWN_BYTES) /
    2 ** (8 * DRAWN_BYTES);
}

type Written = Pick<typeof NOTHING_WRITTEN, 'endsOf'>;

const DRAWN_BYTES = 6;

function nameOf({ prompt_cache_key: key, user, messages }: ChatCompletionRequest, written: Written): string {
  if (key != null) return `key ${key}`;
  if (user != null) return `user ${user}`;
  const first = messages.findIndex(({ role }) => role === 'user');
  const opening = first < 0 ? messages.slice(0, 1) : messages.slice(0, first + 1);
  return `opening ${opening.map(({ role, content }) => `${role} ${excerptOf(content, written)}`).join('\n')}`;
}

/** Limits the hashed text: hashing a long one in full would block other requests. */
const EXCERPT_LENGTH = 4_096;

function excerptOf(content: ChatCompletionRequest['messages'][number]['content'], written: Written): string {
  if (content == null) return '';
  if (typeof content !== 'string') return content.map((part) => excerptOf(textOf(part), written)).join('\n');
  if (content.length <= 2 * EXCERPT_LENGTH) return content;
  return [String(content.length), ...written.endsOf(content, EXCERPT_LENGTH)].join(' ');
}

type Part = Exclude<NonNullable<ChatCompletionRequest['messages'][number]['content']>, string>[number];

/** Images and files are told apart by their length: looking into a long text would make V8 join its parts. */
function textOf(part: Part): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'refusal':
      return part.refusal;
    case 'image_url':
      return isImageData(part.image_url.url) ? String(part.image_url.url.length) : part.image_url.url;
    case 'file':
      return String(part.file.file_data.length);
  }
}
