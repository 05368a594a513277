import type { TokenUsage } from '@farebox/catalog';
import type { CompletionUsage } from '@farebox/contracts';
import { toDecimalUsd, type NanoUsd } from '@farebox/money';

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
