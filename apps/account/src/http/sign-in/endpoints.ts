import type { Pool } from 'pg';
import type { Endpoint } from '../endpoint';
import type { OpenEndpoint } from '../open-endpoint';
import { createSessionEndpoint } from './create-session';
import { endAllSessionsEndpoint } from './end-all-sessions';
import { endSessionEndpoint, signOutEndpoint } from './end-session';
import { linkPageEndpoint } from './link-page';
import { listSessionsEndpoint } from './list-sessions';
import { requestLinkEndpoint } from './request-link';
import type { CookieRules } from './session-cookie';

/** What it takes to sign in. */
export function signInEndpoints(pool: Pool, cookieRules: CookieRules): OpenEndpoint[] {
  return [requestLinkEndpoint(pool), linkPageEndpoint(pool), createSessionEndpoint(pool, cookieRules)];
}

/** What the owner of a session does with it and with his others. */
export function sessionEndpoints(pool: Pool, cookieRules: CookieRules): Endpoint[] {
  return [
    listSessionsEndpoint(pool),
    endAllSessionsEndpoint(pool, cookieRules),
    endSessionEndpoint(pool),
    signOutEndpoint(pool, cookieRules),
  ];
}
