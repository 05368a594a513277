import { uuidV7, type KeyHasher } from '@farebox/auth';
import type { Queryable } from '@farebox/database';
import { DAY_MS } from '@farebox/flow';
import { createSecret } from './api-key-changes';
import { findApiKey, type ApiKey } from './api-keys';
import { notingSql, requireChangePace, toActorValues, type Actor } from './credential-events';

const NAME = 'Playground';
/** It ends with a session as well: see `endPlaygroundKeySql`. */
const LIFETIME_MS = DAY_MS;

// The same row each time: reports of usage have one name for all that the playground did.
const OBTAIN = `
  WITH obtained AS (
    INSERT INTO api_key (account_id, id, name, secret_hmac, pepper_version, hint, secret_issued_at, expires_at,
      lifetime_starts_at, model_policy_models, created_at, is_playground)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $7, '{}', $7, true)
    ON CONFLICT (account_id) WHERE is_playground AND revoked_at IS NULL DO UPDATE
    SET secret_hmac = excluded.secret_hmac, pepper_version = excluded.pepper_version, hint = excluded.hint,
        secret_issued_at = excluded.secret_issued_at, expires_at = excluded.expires_at,
        lifetime_starts_at = excluded.lifetime_starts_at, version = api_key.version + 1
    RETURNING id, id = $2 AS is_new
  ), created AS (SELECT id FROM obtained WHERE is_new), rotated AS (SELECT id FROM obtained WHERE NOT is_new),
  noted_creation AS (${notingSql('api_key', 'create', { done: 'created', at: 9 })}),
  noted_rotation AS (${notingSql('api_key', 'rotate', { done: 'rotated', at: 9 })})
  SELECT id FROM obtained`;

/**
 * A new secret for the account's one playground key, for a day; the one before ends with the commit. Throws
 * `rate_limit_error`.
 */
export async function obtainPlaygroundKey(
  accountId: string,
  db: Queryable,
  { hasher }: { hasher: KeyHasher },
  { actor, now }: { actor: Actor; now: Date },
): Promise<{ secret: string; apiKey: ApiKey }> {
  await requireChangePace(accountId, db, actor);
  const { secret, secretHmac, pepperVersion, hint } = createSecret(hasher);
  const { rows } = await db.query<{ id: string }>(OBTAIN, [
    ...[accountId, uuidV7(), NAME, secretHmac, pepperVersion, hint],
    ...[now, new Date(now.getTime() + LIFETIME_MS), ...toActorValues(actor)],
  ]);
  const [row] = rows;
  if (!row) throw new Error('the key was not stored');
  return { secret, apiKey: await findApiKey(accountId, db, row.id, now) };
}

/**
 * The parts of a statement that end the secret of the playground's key, and note it: an ended session must not
 * go on in the playground. They do so if the part `after`, unless it is left out, has rows. The account is `$1`;
 * the actor's four values begin at `$<at>`.
 */
export function endPlaygroundKeySql({ after, at }: { after?: string; at: number }): string {
  return `ended_key AS (
      UPDATE api_key SET expires_at = now(), version = version + 1
      WHERE account_id = $1 AND is_playground AND revoked_at IS NULL AND expires_at > now()
        ${after === undefined ? '' : `AND EXISTS (SELECT FROM ${after})`}
      RETURNING id
    ), noted_key AS (${notingSql('api_key', 'revoke', { done: 'ended_key', at })})`;
}
