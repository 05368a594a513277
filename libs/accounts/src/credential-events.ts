import { toPublicId } from '@farebox/auth';
import { inPieces } from '@farebox/database';
import type { Queryable } from './open-accounts';

/** Who makes, changes or ends a credential, or changes the account itself. */
export type Actor =
  /** A person who is signed in, by the id of their session; or a device that acts for itself. */
  | { kind: 'session' | 'device'; id: string }
  /** By the name that the operators' audit log has, too. */
  | { kind: 'operator' | 'system'; name: string };

type CredentialKind = 'api_key' | 'device' | 'session' | 'account';
type CredentialAction = 'create' | 'change' | 'rotate' | 'revoke';

/** Something that was done to a credential of an account. Append-only, until it has had its time. */
export interface CredentialEvent {
  id: string;
  at: Date;
  credential: CredentialKind;
  credentialId: string;
  action: CredentialAction;
  actorKind: Actor['kind'];
  /** `sess_…`, `dev_…`, or a name. */
  actor: string;
}

/** The two parameters of `notingSql`. */
export function toActorValues(actor: Actor): [kind: Actor['kind'], actor: string] {
  if ('name' in actor) return [actor.kind, actor.name];
  return [actor.kind, toPublicId(actor.kind === 'session' ? 'sess' : 'dev', actor.id)];
}

/**
 * The part of a statement that notes who did it, so that there is neither the one without the other. `done` names a part
 * before it that returns the ids of what was changed. The account is `$1`; the actor's values are at `$<at>` and the next.
 */
export function notingSql(
  credential: CredentialKind,
  action: CredentialAction,
  { done, at }: { done: string; at: number },
): string {
  return `INSERT INTO credential_event (account_id, credential, credential_id, action, actor_kind, actor)
    SELECT $1::uuid, '${credential}'::credential_kind, ${done}.id, '${action}'::credential_action,
           $${String(at)}::actor_kind, $${String(at + 1)}::text
    FROM ${done}`;
}

/** What was done to the credentials of an account, newest first: at most `count` events, those before `beforeId`. */
export async function listCredentialEvents(
  accountId: string,
  db: Queryable,
  { count, beforeId }: { count: number; beforeId?: string | undefined },
): Promise<CredentialEvent[]> {
  const { rows } = await db.query<CredentialEvent>(
    `SELECT id, at, credential, credential_id AS "credentialId", action, actor_kind AS "actorKind", actor
     FROM credential_event
     WHERE account_id = $1
       AND ($3::uuid IS NULL OR (at, id) < (SELECT at, id FROM credential_event WHERE account_id = $1 AND id = $3))
     ORDER BY at DESC, id DESC LIMIT $2`,
    [accountId, count, beforeId ?? null],
  );
  return rows;
}

/** Deletes events that are older than so many days, thirty at least. Answers how many were deleted. */
export function purgeCredentialEvents(
  pool: Queryable,
  { days, batch = 1_000 }: { days: number; batch?: number },
): Promise<number> {
  return inPieces(pool, 'SELECT credential_event_purge($2, $1) AS count', batch, days);
}
