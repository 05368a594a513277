import { z } from 'zod';
import { listPage, pageParameters } from '../list-page';
import { unixSeconds } from '../time';

const LONGEST_TOKEN = 100;
const TOKEN_MESSAGE = 'must be the token of a link';

/** `POST /auth/sessions`, as JSON and as the form of the link's page. */
export const createSessionBody = z.strictObject({
  token: z.string(TOKEN_MESSAGE).min(1, TOKEN_MESSAGE).max(LONGEST_TOKEN, TOKEN_MESSAGE),
});
export type CreateSessionBody = z.output<typeof createSessionBody>;

/** The answer to `POST /auth/sessions`: the only place where the token is shown. The cookie carries the same one. */
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
export type ListSessionsQuery = z.output<typeof listSessionsQuery>;
export const sessionList = listPage(sessionRecord);

/** The answer to `DELETE /auth/sessions`. */
export const endedSessions = z.strictObject({
  object: z.literal('ended_sessions'),
  count: z.int().describe('How many sessions lived until now, this one and those of devices included.'),
});
export type EndedSessions = z.output<typeof endedSessions>;
