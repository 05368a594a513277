import { MINUTE_MS } from '@farebox/flow';
import { emailAddress } from '@farebox/api';
import type { Brand } from '@farebox/config';
import { ApiError } from '@farebox/errors';
import { callerOf, networkOf, readForm, renderPage, type BodyRoom } from '@farebox/http';
import { requireOwnOrigin } from '@farebox/auth';
import { OPERATOR_LINK_LIFETIME_MS, type NewOperatorSession, type OperatorBrowser } from '@farebox/operators';
import escapeHtml from 'escape-html';
import type { Request, Response } from 'express';
import { OPERATOR_COOKIE, type Caller } from './access';

/** The parts that signing in needs. */
export interface SignIn {
  spendLink: (token: string, browser: OperatorBrowser) => Promise<NewOperatorSession | undefined>;
  /** Has a link mailed to an address, in lower case, if it is an operator's. */
  askForLink: (address: string, network: string) => Promise<void>;
  endSession: (sessionId: string) => Promise<void>;
  /** Whether the cookie is sent over HTTPS alone. */
  isSecure: boolean;
}

const FORM_BYTES = 4 * 1_024;
/** Where a browser goes after signing in. */
export const HOME = '/operator';
/** Where somebody asks for a link. */
export const LINKS_PATH = '/operator/links';

/** The page of a link. Only its button spends the link, so that programs that scan mails do not. */
export function sendLinkPage(res: Response, brand: Brand, token: string): void {
  sendPage(res, 200, brand, {
    title: `Operate ${brand.name}`,
    content: `<form method="post" action="/operator/sessions">
<input type="hidden" name="token" value="${escapeHtml(token)}">
<button type="submit">Sign in</button>
</form>
<p><small>The link works once, within ${String(LINK_MINUTES)} minutes of being made.</small></p>`,
  });
}

const LINK_MINUTES = OPERATOR_LINK_LIFETIME_MS / MINUTE_MS;

/** The same for every address, so that it says nothing about who operates. */
const LINK_IS_ASKED_FOR = {
  title: 'Look into your mailbox',
  content: `<p>If this address is an operator's, a link is on its way to it. It works once, for ${String(LINK_MINUTES)} minutes.</p>
<p><small>No mail? Wait a few minutes, and look into the folder of unwanted mails. Another operator can also make you a link:
<code>admin operator link you@example.com</code></small></p>
<p><a href="${HOME}">Back</a></p>`,
};

/** Asks for a link for the address of a form. Neither the page nor its time depend on whose address it is. */
export async function askForLink(
  req: Request,
  res: Response,
  { links, brand, room }: { links: SignIn; brand: Brand; room: BodyRoom },
): Promise<void> {
  requireOwnOrigin(req.headers, { isForm: true });
  const { email } = await readForm(req, FORM_BYTES, room);
  const address = emailAddress.safeParse(email);
  if (address.success) await links.askForLink(address.data, networkOf(req.ip));
  sendPage(res, 200, brand, LINK_IS_ASKED_FOR);
}

/** Spends the link of a form and hands its session to the browser. */
export async function signIn(
  req: Request,
  res: Response,
  { links, brand, room }: { links: SignIn; brand: Brand; room: BodyRoom },
): Promise<void> {
  requireOwnOrigin(req.headers, { isForm: true });
  const { token } = await readForm(req, FORM_BYTES, room);
  const session = typeof token === 'string' ? await links.spendLink(token, callerOf(req)) : undefined;
  if (!session) {
    sendPage(res, 404, brand, {
      title: 'This link cannot be used',
      content: '<p>It was used already, has expired, or is not complete. Ask for a new one.</p>',
    });
    return;
  }
  res.setHeader('set-cookie', toSessionCookie(session, links.isSecure));
  res.redirect(303, HOME);
}

/** Ends the session of a person. */
export async function signOut(res: Response, caller: Caller, links: SignIn): Promise<void> {
  if (caller.sessionId === undefined)
    throw new ApiError('invalid_request_error', { message: 'A key has no session: revoke it instead.' });
  await links.endSession(caller.sessionId);
  res.setHeader('set-cookie', toCookie('', 'Max-Age=0', links.isSecure));
  res.status(204).end();
}

/** The `Set-Cookie` value that hands a session to a browser. */
export function toSessionCookie({ token, expiresAt }: NewOperatorSession, isSecure: boolean): string {
  return toCookie(token, `Expires=${expiresAt.toUTCString()}`, isSecure);
}

function toCookie(value: string, end: string, isSecure: boolean): string {
  const secure = isSecure ? '; Secure' : '';
  return `${OPERATOR_COOKIE}=${value}; Path=/operator; ${end}; HttpOnly${secure}; SameSite=Strict`;
}

/** Sends a page of signing in. */
export function sendPage(
  res: Response,
  status: number,
  brand: Brand,
  page: { title: string; content: string },
): void {
  const { html, headers } = renderPage({ ...page, brand });
  res
    .status(status)
    .set({ ...headers })
    .set('cache-control', 'no-store')
    .send(html);
}
