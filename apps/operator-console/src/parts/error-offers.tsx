import type { FareboxError } from '@farebox/client';

/** Headings for what an operator is refused. */
export const ERROR_OFFERS = {
  titleOf: ({ code, status }: FareboxError) =>
    code === 'beta_access_required'
      ? 'Your role may not do this'
      : code === 'invalid_request_error' && status === 400
        ? 'This cannot be done'
        : undefined,
};
