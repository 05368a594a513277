import type { ChatCompletionChunk, CompletionUsage } from '@farebox/contracts';

/** What all events of a stream have in common. */
export type StreamIdentity = Pick<ChatCompletionChunk, 'id' | 'created' | 'model'>;

/** One event of a stream. `usage` is null on all but the last one where the customer asked for it, else left out. */
export function toChunk(
  { id, created, model }: StreamIdentity,
  choices: ChatCompletionChunk['choices'],
  usage: CompletionUsage | null | undefined,
): ChatCompletionChunk {
  const chunk: ChatCompletionChunk = { id, object: 'chat.completion.chunk', created, model, choices };
  return usage === undefined ? chunk : { ...chunk, usage };
}
