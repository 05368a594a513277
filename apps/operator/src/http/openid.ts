import { Buffer } from 'node:buffer';
import { readCookies } from '@farebox/auth';
import type { Brand } from '@farebox/config';
import { callerOf } from '@farebox/http';
import type { Logger } from '@farebox/observability';
import type { NewOperatorSession, OperatorBrowser } from '@farebox/operators';
import escapeHtml from 'escape-html';
import type { Request, Response } from 'express';
import { z } from 'zod';
import {
  NotAnOperator,
  type OpenIdPerson,
  type OpenIdProvider,
  type SignInState,
} from '../openid/openid-provider';
import { HOME, sendPage, toSessionCookie } from './sign-in';

export const OPENID_PATH = '/operator/openid';
export const OPENID_CALLBACK_PATH = `${OPENID_PATH}/callback`;

/** The parts that signing in at a provider needs. */
export interface OpenIdSignIn {
  provider: OpenIdProvider;
  /** Starts a session of the person. Throws `NotAnOperator`. */
  startSession: (person: OpenIdPerson, browser: OperatorBrowser) => Promise<NewOperatorSession>;
  /** The origin of this service. */
  operatorUrl: string;
  /** Whether cookies are sent over HTTPS alone. */
  isSecure: boolean;
  brand: Brand;
  log: Logger;
}

const COOKIE = 'operator_openid';
const LONGEST_SIGN_IN_SECONDS = 600;

const keptState = z.strictObject({ state: z.string(), nonce: z.string(), codeVerifier: z.string() });

/** Sends the browser to the provider. */
export async function beginOpenId(res: Response, { provider, isSecure }: OpenIdSignIn): Promise<void> {
  const { url, kept } = await provider.begin();
  const value = Buffer.from(JSON.stringify(kept)).toString('base64url');
  res.setHeader('set-cookie', toKeptCookie(value, LONGEST_SIGN_IN_SECONDS, isSecure));
  res.setHeader('cache-control', 'no-store');
  res.redirect(303, url);
}

/** Takes the browser back from the provider, and signs it in. */
export async function finishOpenId(req: Request, res: Response, signIn: OpenIdSignIn): Promise<void> {
  const { provider, startSession, operatorUrl, isSecure, brand, log } = signIn;
  const forget = toKeptCookie('', 0, isSecure);
  try {
    const person = await provider.finish(new URL(req.originalUrl, operatorUrl), readKept(req));
    const session = await startSession(person, callerOf(req));
    res.setHeader('set-cookie', [forget, toSessionCookie(session, isSecure)]);
    // No redirect: the browser would leave out the new cookie on the way from another site.
    res.setHeader('refresh', `0; url=${HOME}`);
    sendPage(res, 200, brand, {
      title: 'You are signed in',
      content: `<p>You are <strong>${escapeHtml(person.email)}</strong>.</p>\n<p><a href="${HOME}">Continue</a></p>`,
    });
  } catch (error) {
    const isKnown = error instanceof NotAnOperator;
    if (!isKnown) log.warn({ event: 'openid_failed', error }, 'a sign-in at the identity provider failed');
    res.setHeader('set-cookie', forget);
    const reason = isKnown ? error.message : 'The sign-in at the identity provider was not completed.';
    sendPage(res, isKnown ? 403 : 400, brand, {
      title: 'You are not signed in',
      content: `<p>${escapeHtml(reason)}</p>\n<p><a href="${OPENID_PATH}">Try again</a></p>`,
    });
  }
}

/** Throws for a browser that did not begin here, or long ago. */
function readKept(req: Request): SignInState {
  const [value = ''] = readCookies(COOKIE, req.headers.cookie ?? '');
  return keptState.parse(JSON.parse(Buffer.from(value, 'base64url').toString()));
}

function toKeptCookie(value: string, seconds: number, isSecure: boolean): string {
  const secure = isSecure ? '; Secure' : '';
  // Lax: the browser comes back from another site.
  return `${COOKIE}=${value}; Path=${OPENID_PATH}; Max-Age=${String(seconds)}; HttpOnly${secure}; SameSite=Lax`;
}
