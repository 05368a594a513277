import type { OpenSignInLink } from '@farebox/accounts';
import type { ApiError } from '@farebox/errors';
import { toHtmlText } from '@farebox/mail';
import type { DocumentAnswer } from './endpoint';
import { toPageAnswer } from './page';

/**
 * What a link leads to. It names the address, so that nobody signs in to a foreign account unseen; the button is what
 * spends the link, so that a program which looks at mails does not.
 */
export function linkPage({ email, purpose }: OpenSignInLink, token: string): DocumentAnswer {
  const isInvite = purpose === 'invite';
  return toPageAnswer({
    status: 200,
    title: isInvite ? 'Your invitation to Farebox' : 'Sign in to Farebox',
    content: `<p>You sign in as <strong>${toHtmlText(email)}</strong>.</p>
<form method="post" action="/auth/sessions">
<input type="hidden" name="token" value="${toHtmlText(token)}">
<button type="submit">${isInvite ? 'Accept and sign in' : 'Sign in'}</button>
</form>
<p><small>If this is not your address, close this page.</small></p>`,
  });
}

/** What a link leads to that is not known, was used or has had its time. */
export function deadLinkPage(): DocumentAnswer {
  return toPageAnswer({
    status: 404,
    title: 'This link cannot be used',
    content: '<p>It was used already, has had its time, or is not complete. Ask for a new one.</p>',
  });
}

export function signedInPage(email: string, hasAccess: boolean, setCookie: string): DocumentAnswer {
  const access = hasAccess
    ? '<p>You can close this page.</p>'
    : '<p>This account has no access to the service at present. Ask its operator.</p>';
  return toPageAnswer({
    status: 200,
    title: 'You are signed in',
    content: `<p>You are signed in as <strong>${toHtmlText(email)}</strong>.</p>\n${access}`,
    headers: { 'set-cookie': setCookie },
  });
}

/** An error for a person. */
export function errorPage(error: ApiError): DocumentAnswer {
  return toPageAnswer({
    status: error.status,
    title: 'You are not signed in',
    content: `<p>${toHtmlText(error.publicMessage)}</p>`,
    headers: error.retryAfterSeconds === undefined ? {} : { 'retry-after': String(error.retryAfterSeconds) },
  });
}
