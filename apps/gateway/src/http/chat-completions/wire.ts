import type { TokenUsage } from '@farebox/catalog';
import type { ChatCompletion, ChatCompletionChunk, CompletionUsage } from '@farebox/contracts';
import { toDecimalUsd, type NanoUsd } from '@farebox/money';
import type { AnswerIdentity } from '../../use-cases/chat-client';

/** An answer in one piece. */
export function toWhole(
  { id, created, model }: AnswerIdentity,
  choices: ChatCompletion['choices'],
  usage: CompletionUsage,
): string {
  return JSON.stringify({
    id,
    object: 'chat.completion',
    created,
    model,
    choices,
    usage,
  } satisfies ChatCompletion);
}

/** One event of a stream. `usage` is null on all but the last one if the customer asked for it, else left out. */
export function toChunk(
  { id, created, model }: AnswerIdentity,
  choices: ChatCompletionChunk['choices'],
  usage: CompletionUsage | null | undefined,
): ChatCompletionChunk {
  const chunk: ChatCompletionChunk = { id, object: 'chat.completion.chunk', created, model, choices };
  return usage === undefined ? chunk : { ...chunk, usage };
}

export function toCompletionUsage(
  { promptTokens, completionTokens }: TokenUsage,
  costNano: NanoUsd,
): CompletionUsage {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    cost: toDecimalUsd(costNano),
  };
}
