import { createHash } from 'node:crypto';
import { toPublicId } from '@farebox/auth';
import { inPieces, type Queryable } from '@farebox/database';
import { ApiError } from '@farebox/errors';
import { DAY_MS, SECOND_MS } from '@farebox/flow';
import { type Caller, toUserAgentLine } from './callers';

/** The actor that creates, changes or ends a credential, or changes the account itself. */
export type Actor =
  /** A signed-in person, by the id of their session, or a device that acts for itself. */
  | { kind: 'session' | 'device'; id: string; caller?: Caller }
  /** The same name as in the operators' audit log. */
  | { kind: 'operator' | 'system'; name: string };

type CredentialKind = 'api_key' | 'device' | 'session' | 'account';
type CredentialAction = 'create' | 'change' | 'rotate' | 'revoke';

/** A change of a credential of an account. Append-only until its retention time ends. */
export interface CredentialEvent {
  id: string;
  at: Date;
  credential: CredentialKind;
  credentialId: string;
  action: CredentialAction;
  actorKind: Actor['kind'];
  /** `sess_…`, `dev_…`, or a name. */
  actor: string;
  /** As CIDR: see `Caller`. */
  network: string | null;
  userAgent: string | null;
  /** For a sign-in: the browser had not signed in to the account before. */
  isNewBrowser: boolean;
  /**
   * The current name of the key or device. For a session, the name of its device while the session is on
   * record.
   */
  name: string | null;
}

type ActorValues = [kind: Actor['kind'], actor: string, network: string | null, userAgent: string | null];

/** The four actor parameters of `notingSql`. */
export function toActorValues(actor: Actor): ActorValues {
  if ('name' in actor) return [actor.kind, actor.name, null, null];
  const { network = null, userAgent = null } = actor.caller ?? {};
  const id = toPublicId(actor.kind === 'session' ? 'sess' : 'dev', actor.id);
  return [actor.kind, id, network, toUserAgentLine(userAgent)];
}

/**
 * The part of a statement that records the actor, so that a change and its record commit together. `done`
 * names a preceding part that returns the ids of the changed rows. The account is `$1`; the actor's four
 * values begin at `$<at>`.
 */
export function notingSql(
  credential: CredentialKind,
  action: CredentialAction,
  { done, at }: { done: string; at: number },
): string {
  const [kind, actor, network, userAgent] = [at, at + 1, at + 2, at + 3].map((place) => `$${String(place)}`);
  return `INSERT INTO credential_event
      (account_id, credential, credential_id, action, actor_kind, actor, network, user_agent)
    SELECT $1::uuid, '${credential}'::credential_kind, ${done}.id, '${action}'::credential_action,
           ${kind}::actor_kind, ${actor}::text, ${network}::inet, ${userAgent}::text
    FROM ${done}`;
}

/** The credential events of an account, newest first: at most `count`, starting before `beforeId`. */
export async function listCredentialEvents(
  accountId: string,
  db: Queryable,
  { count, beforeId }: { count: number; beforeId?: string | undefined },
): Promise<CredentialEvent[]> {
  const { rows } = await db.query<CredentialEvent>(
    `SELECT e.id, e.at, e.credential, e.credential_id AS "credentialId", e.action, e.actor_kind AS "actorKind", e.actor,
            e.network, e.user_agent AS "userAgent", e.is_new_browser AS "isNewBrowser",
            coalesce(k.name, d.name) AS name
     FROM credential_event e
     LEFT JOIN account_session s
       ON s.account_id = e.account_id AND s.id = e.credential_id AND e.credential = 'session'
     LEFT JOIN device d
       ON d.account_id = e.account_id
          AND d.id = CASE e.credential WHEN 'device' THEN e.credential_id WHEN 'session' THEN s.device_id END
     LEFT JOIN api_key k
       ON k.account_id = e.account_id AND k.id = e.credential_id AND e.credential = 'api_key'
     WHERE e.account_id = $1
       AND ($3::uuid IS NULL OR (e.at, e.id) < (SELECT at, id FROM credential_event WHERE account_id = $1 AND id = $3))
     ORDER BY e.at DESC, e.id DESC LIMIT $2`,
    [accountId, count, beforeId ?? null],
  );
  return rows;
}

/** Whether an event belongs to the account. */
export async function ownsCredentialEvent(
  accountId: string,
  db: Queryable,
  eventId: string,
): Promise<boolean> {
  const { rowCount } = await db.query('SELECT FROM credential_event WHERE account_id = $1 AND id = $2', [
    accountId,
    eventId,
  ]);
  return rowCount === 1;
}

/** Deletes events older than this many days, at least thirty. Returns the number deleted. */
export function purgeCredentialEvents(
  pool: Queryable,
  { days, batch = 1_000 }: { days: number; batch?: number },
): Promise<number> {
  return inPieces(pool, 'SELECT credential_event_purge($2, $1) AS count', batch, days);
}

/** A rate limit: `burst` attempts at once, and one more every `everyMs`. */
export interface AttemptLimit {
  burst: number;
  everyMs: number;
}

/**
 * The subject of a limit. It contains an e-mail address or a network, so it is stored as a hash, and only
 * until all attempts are restored.
 */
interface AttemptSubject {
  what: string;
  who: string;
}

// The generic cell rate algorithm: one time per subject, ahead of now by the time until all attempts are
// restored. Concurrent attempts run one after the other, each seeing the result of the previous one.
const TAKE_ATTEMPT = `
  INSERT INTO sign_in_throttle AS t (subject_sha256, recovered_at)
  VALUES ($1, now() + $2::bigint * interval '1 millisecond')
  ON CONFLICT (subject_sha256) DO UPDATE
  SET recovered_at = greatest(t.recovered_at, now()) + $2::bigint * interval '1 millisecond'
  WHERE greatest(t.recovered_at, now()) + $2::bigint * interval '1 millisecond'
        <= now() + $3::bigint * $2::bigint * interval '1 millisecond'`;

/**
 * Counts an attempt by the database's clock, across all processes. Returns false if none is left; a refused
 * attempt costs nothing.
 */
export async function takeAttempt(
  db: Queryable,
  subject: AttemptSubject,
  { burst, everyMs }: AttemptLimit,
): Promise<boolean> {
  const { rowCount } = await db.query(TAKE_ATTEMPT, [hashSubject(subject), everyMs, burst]);
  return rowCount === 1;
}

function hashSubject({ what, who }: AttemptSubject): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([what, who]))
    .digest();
}

/**
 * Every change of an account or its credentials adds a row. The limit is far above the need of an honest
 * script.
 */
const CHANGES: AttemptLimit = { burst: 1_000, everyMs: 8_640 };

/**
 * Counts a change that an account makes to itself or its credentials: 1,000 at once, and 10,000 a day. An
 * operator's changes are not counted. Throws `rate_limit_error`.
 */
export async function requireChangePace(accountId: string, db: Queryable, actor: Actor): Promise<void> {
  if (actor.kind === 'operator' || actor.kind === 'system') return;
  if (await takeAttempt(db, { what: 'credential_change', who: accountId }, CHANGES)) return;
  throw new ApiError('rate_limit_error', {
    message:
      'Too many changes of the account, its keys and its devices: at most 10,000 in 24 hours, in bursts of 1,000.',
    retryAfterSeconds: CHANGES.everyMs / SECOND_MS,
  });
}

/**
 * Limits the permanent rows that an account creates in 24 hours. `earlier` is the creation time of the row
 * that many places back, if there is one. Throws `rate_limit_error` with the time until it is a day old.
 */
export function requirePace(
  earlier: Date | undefined,
  now: Date,
  { mostADay, plural }: { mostADay: number; plural: string },
): void {
  if (!earlier) return;
  const waitMs = earlier.getTime() + DAY_MS - now.getTime();
  if (waitMs <= 0) return;
  throw new ApiError('rate_limit_error', {
    message: `An account can create at most ${String(mostADay)} ${plural} in 24 hours.`,
    retryAfterSeconds: waitMs / SECOND_MS,
  });
}
