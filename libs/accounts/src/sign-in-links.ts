import {
  createLinkToken,
  createSignInCode,
  fromTypedCode,
  hashToken,
  isWellFormedLinkToken,
  uuidV7,
} from '@farebox/auth';
import { inPieces, type Queryable } from '@farebox/database';
import { DAY_MS, MINUTE_MS } from '@farebox/flow';
import type { InviteStatus } from './accounts';
import type { Accounts } from './open-accounts';
import type { Caller } from './callers';
import { createSession, type SessionLifetimes } from './sessions';

export type SignInLinkPurpose = 'invite' | 'sign_in';

/** How long a link is valid. */
export const LINK_LIFETIME_MS: Record<SignInLinkPurpose, number> = {
  invite: 7 * DAY_MS,
  sign_in: 15 * MINUTE_MS,
};

const CREATE_LINK = `
  INSERT INTO sign_in_link (id, account_id, purpose, token_sha256, expires_at)
  VALUES ($1, $2, $3::sign_in_link_purpose, $4, now() + $5::bigint * interval '1 millisecond')
  RETURNING expires_at AS "expiresAt"`;

/**
 * Creates a one-time link of an account, and a code that spends it in the browser of the hash, if there is one.
 * Token and code are returned only here.
 */
export async function createSignInLink(
  accountId: string,
  db: Queryable,
  purpose: SignInLinkPurpose,
  browserSha256?: Buffer,
): Promise<{ token: string; expiresAt: Date; code: string | undefined }> {
  const token = createLinkToken();
  const linkId = uuidV7();
  const { rows } = await db.query<{ expiresAt: Date }>(CREATE_LINK, [
    linkId,
    accountId,
    purpose,
    hashToken(token),
    LINK_LIFETIME_MS[purpose],
  ]);
  const [row] = rows;
  if (!row) throw new Error('the link was not stored');
  const code = browserSha256 && createSignInCode();
  if (code !== undefined)
    await db.query('INSERT INTO sign_in_code (link_id, browser_sha256, code_sha256) VALUES ($1, $2, $3)', [
      ...[linkId, browserSha256, hashToken(code)],
    ]);
  return { token, expiresAt: row.expiresAt, code };
}

/**
 * The browser that may use the code of a link for an address, by its cookie. Hashed with the address, so that
 * the rows do not reveal that one browser asked for two.
 */
export function toBrowserSha256(email: string, browserToken: string): Buffer {
  return hashToken(`${email} ${browserToken}`);
}

/** The person whom a link would sign in. */
export interface OpenSignInLink {
  purpose: SignInLinkPurpose;
  email: string;
  /** The account's, such as `de`. */
  language: string | null;
}

/** Looks up a usable link without spending it. A malformed token costs no look-up. */
export async function findSignInLink(db: Queryable, token: string): Promise<OpenSignInLink | undefined> {
  if (!isWellFormedLinkToken(token)) return undefined;
  const { rows } = await db.query<OpenSignInLink>(
    `SELECT l.purpose, a.email, a.language FROM sign_in_link l JOIN account a ON a.id = l.account_id
     WHERE l.token_sha256 = $1 AND l.used_at IS NULL AND l.expires_at > now()`,
    [hashToken(token)],
  );
  return rows[0];
}

export interface SignedIn {
  accountId: string;
  /** After the invite, if any, was accepted. */
  inviteStatus: InviteStatus;
  email: string;
  sessionToken: string;
  expiresAt: Date;
}

const spendingSql = (which: 'token_sha256' | 'id'): string => `
  UPDATE sign_in_link l SET used_at = now()
  FROM account a
  WHERE a.id = l.account_id AND l.${which} = $1 AND l.used_at IS NULL AND l.expires_at > now()
  RETURNING l.account_id AS "accountId", a.email, a.invite_status = 'invited' AS "isInvited"`;

// Invites are valid for days; the first sign-in ends the remaining ones. One being spent concurrently is
// skipped.
const SPEND_OTHER_INVITES = `
  UPDATE sign_in_link SET used_at = now()
  WHERE id IN (
    SELECT id FROM sign_in_link
    WHERE account_id = $1 AND purpose = 'invite' AND used_at IS NULL FOR UPDATE SKIP LOCKED
  )`;

/** The caller who spends a link. */
export interface Visitor {
  caller: Caller;
  /** The cookie that identifies a browser. */
  browserToken: string;
}

/**
 * Spends a link, which works once, for one of any number of concurrent attempts. Its owner has proven their
 * e-mail address, so an invited account becomes active; every other status stays. Returns a new session, or
 * `undefined` if the link is unknown, used or expired.
 */
export async function spendSignInLink(
  accounts: Accounts,
  token: string,
  visitor: Visitor,
  lifetimes?: SessionLifetimes,
): Promise<SignedIn | undefined> {
  if (!isWellFormedLinkToken(token)) return undefined;
  const spend = (client: Queryable) =>
    client.query<SpentLink>(spendingSql('token_sha256'), [hashToken(token)]);
  return signInWith(accounts, spend, visitor, lifetimes);
}

/**
 * `spendSignInLink` by the code of a link, typed in the browser that asked for the link for this address. An
 * attempt is counted against each code of that browser; one has five.
 */
export async function spendSignInCode(
  accounts: Accounts,
  { email, code: typed }: { email: string; code: string },
  visitor: Visitor,
  lifetimes?: SessionLifetimes,
): Promise<SignedIn | undefined> {
  const code = fromTypedCode(typed);
  if (code === undefined) return undefined;
  const spend = async (client: Queryable) => {
    const tried = await client.query<{ linkId: string | null }>(
      'SELECT sign_in_try_code($1, $2) AS "linkId"',
      [...[toBrowserSha256(email, visitor.browserToken), hashToken(code)]],
    );
    return client.query<SpentLink>(spendingSql('id'), [tried.rows[0]?.linkId]);
  };
  return signInWith(accounts, spend, visitor, lifetimes);
}

interface SpentLink {
  accountId: string;
  email: string;
  isInvited: boolean;
}

async function signInWith(
  accounts: Accounts,
  spend: (client: Queryable) => Promise<{ rows: SpentLink[] }>,
  { caller, browserToken }: Visitor,
  lifetimes: SessionLifetimes | undefined,
): Promise<SignedIn | undefined> {
  return accounts.transaction(async (client) => {
    const [found] = (await spend(client)).rows;
    if (!found) return undefined;
    const { isInvited, ...link } = found;
    await client.query(SPEND_OTHER_INVITES, [link.accountId]);
    const accepted = await client.query<{ status: InviteStatus }>(
      'SELECT sign_in_accept_invite($1) AS status',
      [link.accountId],
    );
    const [account] = accepted.rows;
    if (!account) throw new Error('the account of the link is not there');
    const session = await createSession(link.accountId, client, {
      ...(lifetimes && { lifetimes }),
      caller,
      browser: { token: browserToken, isInvited },
    });
    return {
      ...link,
      inviteStatus: account.status,
      sessionToken: session.token,
      expiresAt: session.expiresAt,
    };
  });
}

/** The URL of a link: a page that spends it when its button is pressed. `publicUrl` is an origin. */
export function toSignInUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/auth/links/${token}`;
}

/**
 * Deletes links, throttles and sessions that can no longer be used, in batches until none are left. Returns
 * their number.
 */
export function purgeSignIns(pool: Queryable): Promise<number> {
  return inPieces(pool, 'SELECT sign_in_purge($1) AS count', 1_000);
}
