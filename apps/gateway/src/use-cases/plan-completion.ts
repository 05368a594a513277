import {
  accessModel,
  boundCounted,
  boundPrompt,
  leastPromptTokens,
  maximumCost,
  outputTokensFor,
  type Model,
  type Prompt,
  type TokenCount,
} from '@farebox/catalog';
import type { ChatCompletionRequest } from '@farebox/contracts';
import type { NanoUsd } from '@farebox/money';
import type { ServedCatalog } from '../catalog/live-catalog';
import type { Caller } from '../identity/api-keys';
import { targetsOf, type RouteTarget } from './failed-calls';
import { RefusalError } from '../refusals';
import { promptOf } from './prompt';

/** Everything that is decided about a completion before money is asked for. */
export interface CompletionPlan {
  model: Model;
  targets: RouteTarget[];
  prompt: Prompt;
  choices: number;
  /** Of one choice. */
  maxOutputTokens: number;
  maximumCostNano: NanoUsd;
}

/**
 * Plans by what is cheap to know: the bytes of the prompt are the bound of its tokens. Throws `model_not_found`,
 * `model_not_allowed` or `invalid_request_error`.
 */
export function planCompletion(
  catalog: ServedCatalog,
  caller: Caller,
  request: ChatCompletionRequest,
): CompletionPlan {
  const access = accessModel(catalog.snapshot, request.model, caller);
  if (access.outcome !== 'granted')
    throw new RefusalError('model_policy', access.outcome, { param: 'model' });
  const { model } = access;

  const prompt = promptOf(request);
  refuseUnfit(request, model, prompt.images);
  const { tokensBound, isOverContext } = boundPrompt(prompt, model);
  if (isOverContext) throw overContextError(model);

  const choices = request.n ?? 1;
  const maxOutputTokens = outputTokensFor(model, requestedOutputTokens(request));
  return {
    model,
    targets: targetsOf(model, catalog.clients),
    prompt,
    choices,
    maxOutputTokens,
    maximumCostNano: maximumCost(model.price, {
      promptTokensBound: tokensBound,
      maxOutputTokens,
      n: choices,
    }),
  };
}

/**
 * The same plan, by what the model's tokenizer counted of the prompt: it costs less. Throws `invalid_request_error` if the
 * prompt turns out to be over the context window.
 */
export function planByCount(plan: CompletionPlan, count: TokenCount): CompletionPlan {
  const { model, prompt, maxOutputTokens, choices: n } = plan;
  const { tokensBound, isOverContext } = boundCounted(prompt, model, count);
  if (isOverContext) throw overContextError(model);
  const bounds = { promptTokensBound: tokensBound, maxOutputTokens, n };
  return { ...plan, maximumCostNano: maximumCost(model.price, bounds) };
}

/** Under this no count of the prompt brings the maximum cost. */
export function leastCost({ model, prompt, maxOutputTokens, choices: n }: CompletionPlan): NanoUsd {
  return maximumCost(model.price, { promptTokensBound: leastPromptTokens(prompt), maxOutputTokens, n });
}

function requestedOutputTokens({
  max_completion_tokens,
  max_tokens,
}: ChatCompletionRequest): number | undefined {
  return max_completion_tokens ?? max_tokens ?? undefined;
}

function refuseUnfit(request: ChatCompletionRequest, model: Model, images: number): void {
  if (images > 0 && !model.modalities.includes('image')) {
    throw new RefusalError('model_policy', 'invalid_request_error', {
      param: 'messages',
      message: 'This model does not take images.',
    });
  }
  const requested = requestedOutputTokens(request);
  if (requested !== undefined && requested > model.maxOutputTokens) {
    throw new RefusalError('model_policy', 'invalid_request_error', {
      param: request.max_completion_tokens == null ? 'max_tokens' : 'max_completion_tokens',
      message: `This model gives at most ${String(model.maxOutputTokens)} output tokens.`,
    });
  }
}

function overContextError({ contextWindow }: Model): RefusalError {
  return new RefusalError('model_policy', 'invalid_request_error', {
    param: 'messages',
    message: `The prompt is longer than this model's context window of ${String(contextWindow)} tokens.`,
  });
}
