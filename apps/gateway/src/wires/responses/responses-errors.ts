import type { ApiError } from '@farebox/errors';

/** This wire's names for the chat fields in errors and headers. */
export const OWN_NAMES: ReadonlyMap<string | null, string> = new Map([
  ['messages', 'input'],
  ['max_tokens', 'max_output_tokens'],
  ['max_completion_tokens', 'max_output_tokens'],
  ['response_format', 'text.format'],
  ['reasoning_effort', 'reasoning.effort'],
]);

/**
 * OpenAI's own error in full: Codex looks at the code, pi at the text. The code belongs to this wire, not to
 * the closed set.
 */
const OVERFLOW = {
  code: 'context_length_exceeded',
  message: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
};

/** Converts an error to the form of Responses. */
export function toResponsesError(error: ApiError) {
  const { error: told } = error.toEnvelope();
  return { ...told, ...(error.overflow && OVERFLOW), param: OWN_NAMES.get(told.param) ?? told.param };
}
