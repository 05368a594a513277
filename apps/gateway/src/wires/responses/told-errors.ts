import type { ApiError } from '@farebox/errors';

/** Fields of chat that errors and headers name, as they are called here. */
export const OWN_NAMES: ReadonlyMap<string | null, string> = new Map([
  ['messages', 'input'],
  ['max_tokens', 'max_output_tokens'],
  ['max_completion_tokens', 'max_output_tokens'],
  ['response_format', 'text.format'],
  ['reasoning_effort', 'reasoning.effort'],
]);

/** OpenAI's own, whole: Codex goes by the code, pi by the words. The code is of this wire, not of the closed set. */
const OVERFLOW = {
  code: 'context_length_exceeded',
  message: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
};

/** An error in the words of Responses. */
export function toToldError(error: ApiError) {
  const { error: told } = error.toEnvelope();
  return { ...told, ...(error.overflow && OVERFLOW), param: OWN_NAMES.get(told.param) ?? told.param };
}
