import type { Model } from '@farebox/catalog';
import { ApiError } from '@farebox/errors';
import { RefusalError } from '../refusals';
import type { UpstreamFailure } from './failure';

// Agents shorten their conversation if the error has words they know: these are OpenAI's, which others
// follow. The other wires write their own text for an error with an `overflow`. Source:
// docs/use/compatibility.md, "Errors that agents act on".
const EXCEEDED = 'Your input exceeds the context window of this model';
const REMEDY = '(context_length_exceeded). Please reduce the length of the messages';

/** The refusal of a prompt with at least this many tokens. */
export function promptOverflow({ contextWindow }: Model, promptTokens: number): RefusalError {
  return new RefusalError('model_policy', 'invalid_request_error', {
    param: 'messages',
    message:
      `${EXCEEDED}. This model's maximum context length is ${String(contextWindow)} tokens. However, your messages ` +
      `resulted in ${String(promptTokens)} tokens or more ${REMEDY}.`,
    overflow: { promptTokens, contextWindow },
  });
}

/** The refusal of one of the inputs to embed. */
export function inputOverflow({ contextWindow }: Model): RefusalError {
  return new RefusalError('model_policy', 'invalid_request_error', {
    param: 'input',
    message: `An input exceeds the context window of this model: its maximum context length is ${String(contextWindow)} tokens.`,
    overflow: {},
  });
}

/** The prompt was within the bound here; only the upstream counted it, by its own window. */
export function upstreamOverflow(cause: UpstreamFailure, request: object): ApiError {
  if (!Object.hasOwn(request, 'messages')) {
    const message =
      'An input exceeds the context window of this model, its maximum context length. Send less.';
    return new ApiError('invalid_request_error', { message, param: 'input', overflow: {}, cause });
  }
  const message = `${EXCEEDED}: with the output limit it is over the maximum context length ${REMEDY}, or lower max_tokens.`;
  return new ApiError('invalid_request_error', { message, param: 'messages', overflow: {}, cause });
}
