import {
  endAccountSession,
  isAccountSession,
  listAccountSessions,
  spendSignInCode,
  spendSignInLink,
  takeAttempt,
  toBrowserSha256,
  type Accounts,
  type Actor,
  type AccountSession,
  type AttemptLimit,
  type SignedIn,
  type Visitor,
} from '@farebox/accounts';
import { ApiError } from '@farebox/errors';
import { SECOND_MS } from '@farebox/flow';
import { askForSignInMail } from '@farebox/mail';
import type { Language } from '@farebox/texts';
import { requireCursor } from './account';

/** Prevents flooding a mailbox, but lets an office behind one address sign in on a Monday morning. */
const LINKS_OF_ADDRESS: AttemptLimit = { burst: 5, everyMs: 300_000 };
const LINKS_OF_NETWORK: AttemptLimit = { burst: 50, everyMs: 10_000 };
/** Guessing a token is hopeless, and a code has its own attempts: this only spares the database. */
const SIGN_INS_OF_NETWORK: AttemptLimit = { burst: 100, everyMs: 1_000 };

export interface WantedLink {
  email: string;
  /** The browser's, for an account that has none. */
  language: Language;
  network: string;
  /** The cookie of the browser that may use the code of the link. */
  browserToken: string;
}

/**
 * Asks for a link to be mailed to an address, if it belongs to an account. Once this returns, the request is
 * in the outbox and survives the process. Neither timing nor result depend on the owner of the address, whom
 * the worker looks up. Excess requests are ignored silently, since an error would reveal the address.
 */
export async function requestLink(
  { email, language, network, browserToken }: WantedLink,
  accounts: Accounts,
): Promise<void> {
  const isPermitted =
    (await takeAttempt(accounts, { what: 'links_of_network', who: network }, LINKS_OF_NETWORK)) &&
    (await takeAttempt(accounts, { what: 'links_of_address', who: email }, LINKS_OF_ADDRESS));
  if (!isPermitted) return;
  const browserSha256 = toBrowserSha256(email, browserToken);
  await askForSignInMail(accounts, { address: email, language, browserSha256 });
}

export interface LinkAttempt extends Visitor {
  token: string;
  network: string;
}

/**
 * Signs in with the token of a link. Throws `authentication_error`, the same for an unknown, used or expired
 * link, and `rate_limit_error` before the token is checked.
 */
export async function spendLink(
  { token, network, ...visitor }: LinkAttempt,
  accounts: Accounts,
): Promise<SignedIn> {
  await requireAttempt(network, accounts);
  const signedIn = await spendSignInLink(accounts, token, visitor);
  if (!signedIn) {
    throw new ApiError('authentication_error', {
      message: 'The link is unknown, was used or has expired. Ask for a new one.',
    });
  }
  return signedIn;
}

export interface CodeAttempt extends Visitor {
  email: string;
  code: string;
  network: string;
}

/** As `spendLink`, with a code. The error is the same for an unknown address and a wrong code. */
export async function spendCode(
  { email, code, network, ...visitor }: CodeAttempt,
  accounts: Accounts,
): Promise<SignedIn> {
  await requireAttempt(network, accounts);
  const signedIn = await spendSignInCode(accounts, { email, code }, visitor);
  if (!signedIn) {
    throw new ApiError('authentication_error', {
      message:
        'The code is wrong, was used or tried too often, has expired, or was asked for in another browser.',
    });
  }
  return signedIn;
}

async function requireAttempt(network: string, accounts: Accounts): Promise<void> {
  const subject = { what: 'sign_ins_of_network', who: network };
  if (!(await takeAttempt(accounts, subject, SIGN_INS_OF_NETWORK))) {
    throw new ApiError('rate_limit_error', {
      message: 'Too many sign-in attempts from this network. Wait before the next one.',
      retryAfterSeconds: SIGN_INS_OF_NETWORK.everyMs / SECOND_MS,
    });
  }
}

/** A page of the account's sessions, plus one if there are more. Throws for an invalid cursor. */
export async function listSessions(
  accountId: string,
  accounts: Accounts,
  { limit, afterId }: { limit: number; afterId: string | undefined },
): Promise<AccountSession[]> {
  await requireCursor(
    accountId,
    afterId,
    (owner, id) => isAccountSession(owner, accounts, id),
    'id of a session',
  );
  return listAccountSessions(accountId, accounts, { afterId, count: limit + 1 });
}

/** Ends a session. Throws the error of a missing session, also for another account's. */
export async function endSession(
  accountId: string,
  accounts: Accounts,
  sessionId: string,
  actor: Actor,
): Promise<AccountSession> {
  const ended = await endAccountSession(accountId, accounts, sessionId, actor);
  if (!ended) throw sessionNotFound();
  return ended.session;
}

export function sessionNotFound(): ApiError {
  return new ApiError('invalid_request_error', {
    status: 404,
    param: 'session_id',
    message: 'There is no such session on this account.',
  });
}
