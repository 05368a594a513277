import {
  endAccountSession,
  isAccountSession,
  listAccountSessions,
  spendSignInLink,
  takeAttempt,
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
import { requireCursor } from './account';

/** A mailbox is not to be flooded; an office behind one address is to get in on a Monday morning. */
const LINKS_OF_ADDRESS: AttemptLimit = { burst: 5, everyMs: 300_000 };
const LINKS_OF_NETWORK: AttemptLimit = { burst: 50, everyMs: 10_000 };
/** A token has 256 bits: this keeps the database free of guessing, and no guess from being right. */
const SIGN_INS_OF_NETWORK: AttemptLimit = { burst: 100, everyMs: 1_000 };

/**
 * Asks for a link to be mailed to an address, if it is an account's. Once this has answered, the wish is in the outbox and
 * outlives this process. Until then, and in what it answers, nothing depends on whose address it is: the worker looks
 * that up. Too many requests are passed over in silence, which would tell somebody apart otherwise.
 */
export async function requestLink(
  { email, network }: { email: string; network: string },
  accounts: Accounts,
): Promise<void> {
  const isPermitted =
    (await takeAttempt(accounts, { what: 'links_of_network', who: network }, LINKS_OF_NETWORK)) &&
    (await takeAttempt(accounts, { what: 'links_of_address', who: email }, LINKS_OF_ADDRESS));
  if (isPermitted) await askForSignInMail(accounts, email);
}

/**
 * Signs in with the token of a link. Throws `authentication_error`, the same for a link that is not known, was used or
 * has had its time, and `rate_limit_error`, before the token is looked at.
 */
export async function spendLink(
  { token, network, ...visitor }: Visitor & { token: string; network: string },
  accounts: Accounts,
): Promise<SignedIn> {
  const subject = { what: 'sign_ins_of_network', who: network };
  if (!(await takeAttempt(accounts, subject, SIGN_INS_OF_NETWORK))) {
    throw new ApiError('rate_limit_error', {
      message: 'Too many attempts to sign in came from this network. Wait before the next one.',
      retryAfterSeconds: SIGN_INS_OF_NETWORK.everyMs / SECOND_MS,
    });
  }
  const signedIn = await spendSignInLink(accounts, token, visitor);
  if (!signedIn) {
    throw new ApiError('authentication_error', {
      message: 'The link is not known, was used or has had its time. Ask for a new one.',
    });
  }
  return signedIn;
}

/** A page of the account's sessions, and one more if there is one. Throws for a cursor that is none of them. */
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

/** Ends a session. Throws what a missing one answers, for a session of another account too. */
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
