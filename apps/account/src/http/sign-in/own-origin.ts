import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '@farebox/errors';
import { isSameOrigin } from '../same-origin';

/**
 * Nobody is signed in by a foreign page: it could make its visitor work, and pay, in an account of its own. A form can
 * be sent from anywhere, so it must say that it comes from here. A program that is no browser says nothing, and may
 * send JSON; a browser says where its page is from. Throws `authentication_error`.
 */
export function requireOwnOrigin(headers: IncomingHttpHeaders, { isForm }: { isForm: boolean }): void {
  const isBrowser = headers.origin !== undefined || headers['sec-fetch-site'] !== undefined;
  if ((isForm || isBrowser) && !isSameOrigin(headers)) {
    throw new ApiError('authentication_error', { message: 'Sign in from a page of this service.' });
  }
}
