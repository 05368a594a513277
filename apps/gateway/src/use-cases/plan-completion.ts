import {
  accessModel,
  maximumCost,
  measurePrompt,
  outputTokensFor,
  type Model,
  type Prompt,
  type Tokenizer,
} from '@farebox/catalog';
import type { ChatCompletionRequest } from '@farebox/contracts';
import { ApiError } from '@farebox/errors';
import type { NanoUsd } from '@farebox/money';
import type { ServedCatalog } from '../catalog/live-catalog';
import type { Caller } from '../identity/caller';
import { targetsOf, type RouteTarget } from '../upstream/call-routes';
import { promptOf } from './prompt';

/** Everything that is decided about a completion before money is asked for. */
export interface CompletionPlan {
  model: Model;
  targets: RouteTarget[];
  prompt: Prompt;
  tokenizer: Tokenizer;
  choices: number;
  /** Of one choice. */
  maxOutputTokens: number;
  maximumCostNano: NanoUsd;
}

/** Throws `model_not_found`, `model_not_allowed` or `invalid_request_error`. */
export function planCompletion(
  catalog: ServedCatalog,
  caller: Caller,
  request: ChatCompletionRequest,
): CompletionPlan {
  const access = accessModel(catalog.snapshot, request.model, caller);
  if (access.outcome !== 'granted') throw new ApiError(access.outcome, { param: 'model' });
  const { model } = access;

  const named = model.tokenizer ? catalog.tokenizers.get(model.tokenizer) : undefined;
  const prompt = promptOf(request);
  const { tokensBound, isOverContext } = measurePrompt(prompt, model, named);
  refuseUnfit(request, model, prompt.images, isOverContext);

  const choices = request.n ?? 1;
  const maxOutputTokens = outputTokensFor(model, requestedOutputTokens(request));
  return {
    model,
    targets: targetsOf(model, catalog.clients),
    prompt,
    tokenizer: named ?? catalog.fallbackTokenizer,
    choices,
    maxOutputTokens,
    maximumCostNano: maximumCost(model.price, {
      promptTokensBound: tokensBound,
      maxOutputTokens,
      n: choices,
    }),
  };
}

function requestedOutputTokens({
  max_completion_tokens,
  max_tokens,
}: ChatCompletionRequest): number | undefined {
  return max_completion_tokens ?? max_tokens ?? undefined;
}

function refuseUnfit(
  request: ChatCompletionRequest,
  model: Model,
  images: number,
  isOverContext: boolean,
): void {
  if (images > 0 && !model.modalities.includes('image')) {
    throw new ApiError('invalid_request_error', {
      param: 'messages',
      message: 'This model does not take images.',
    });
  }
  const requested = requestedOutputTokens(request);
  if (requested !== undefined && requested > model.maxOutputTokens) {
    throw new ApiError('invalid_request_error', {
      param: request.max_completion_tokens == null ? 'max_tokens' : 'max_completion_tokens',
      message: `This model gives at most ${String(model.maxOutputTokens)} output tokens.`,
    });
  }
  if (isOverContext) {
    throw new ApiError('invalid_request_error', {
      param: 'messages',
      message: `The prompt is longer than this model's context window of ${String(model.contextWindow)} tokens.`,
    });
  }
}
