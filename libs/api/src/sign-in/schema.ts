import { z } from 'zod';
import { browserName } from '../account/events';
import { listPage, pageParameters, unixSeconds } from '../fields';

/** Source: RFC 5321, section 4.5.3.1, with the two brackets around it taken off. */
const LONGEST_ADDRESS = 254;
const LONGEST_LOCAL_PART = 64;
const MESSAGE = 'must be an e-mail address';

/**
 * An e-mail address, parsed into its stored form: without surrounding white space, in lower case. ASCII only: a
 * domain with other letters is written as `xn--…`. Excludes anything that a mail could interpret as a second address
 * or a header.
 */
export const emailAddress = z
  .string(MESSAGE)
  .max(2 * LONGEST_ADDRESS, MESSAGE)
  .trim()
  .toLowerCase()
  .pipe(
    z
      .email(MESSAGE)
      .max(LONGEST_ADDRESS, MESSAGE)
      .refine((address) => address.lastIndexOf('@') <= LONGEST_LOCAL_PART, MESSAGE),
  );

/** `POST /auth/links`. */
export const requestLinkBody = z.strictObject({
  email: emailAddress.describe('Where the link is sent, if it is the address of an account.'),
});

/** The response of `POST /auth/links`: the same for every address. */
export const linkRequest = z.strictObject({
  object: z.literal('link_request'),
  expires_in: z.int().describe('For how many seconds a link works that was sent.'),
});
export type LinkRequest = z.output<typeof linkRequest>;

const LONGEST_TOKEN = 100;
const TOKEN_MESSAGE = 'must be the token of a link';

/** `POST /auth/sessions`, as JSON and as the form of the link's page. */
export const createSessionBody = z.strictObject({
  token: z.string(TOKEN_MESSAGE).min(1, TOKEN_MESSAGE).max(LONGEST_TOKEN, TOKEN_MESSAGE),
});

/** `POST /auth/codes`. */
export const spendCodeBody = z.strictObject({
  email: emailAddress.describe('As in the request for the link.'),
  code: z
    .string('must be the code of a mail')
    .min(1, 'must be the code of a mail')
    .max(LONGEST_TOKEN, 'must be the code of a mail')
    .describe('The code of the mail, in any case, with or without its hyphen.'),
});

/** The response of `POST /auth/sessions`: the only place that shows the token. The cookie has the same one. */
export const newSession = z.strictObject({
  object: z.literal('new_session'),
  session_token: z.string().regex(/^st-[A-Za-z0-9_-]{43}$/),
  expires_at: unixSeconds.describe('When the session ends at the latest. Without use it ends earlier.'),
});
export type NewSession = z.output<typeof newSession>;

/** A session of the account. */
export const sessionRecord = z.strictObject({
  object: z.literal('session'),
  session_id: z.string().regex(/^sess_[0-9a-z]{26}$/),
  current: z.boolean().describe('Whether it is the session of this request.'),
  user_agent: z.string().nullable().describe('What the browser or program that signed in said of itself.'),
  browser: browserName,
  network: z
    .string()
    .nullable()
    .describe(
      'Where it signed in: the first 24 bits of an IPv4 address, or 48 of an IPv6 address. Null if that is not known.',
    ),
  device_id: z
    .string()
    .regex(/^dev_[0-9a-z]{26}$/)
    .nullable()
    .describe('The device that the session is bound to.'),
  created_at: unixSeconds,
  last_seen_at: unixSeconds.describe('The last use, to the minute.'),
  idle_expires_at: unixSeconds.describe('When it ends where it is not used until then.'),
  expires_at: unixSeconds.describe('When it ends at the latest.'),
  revoked_at: unixSeconds.nullable(),
});
export type SessionRecord = z.output<typeof sessionRecord>;

/** `GET /auth/sessions`. */
export const listSessionsQuery = z.strictObject(pageParameters('sess'));
export const sessionList = listPage(sessionRecord);

/** The response of `DELETE /auth/sessions`. */
export const endedSessions = z.strictObject({
  object: z.literal('ended_sessions'),
  count: z.int().describe('How many sessions lived until now, this one and those of devices included.'),
});
export type EndedSessions = z.output<typeof endedSessions>;
