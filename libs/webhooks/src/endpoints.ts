import { uuidV7 } from '@farebox/auth';
import type { Queryable } from '@farebox/database';

/** An account, or null for the operators, whose endpoints get the events of all accounts. */
export type WebhookOwner = string | null;

export interface WebhookEndpoint {
  id: string;
  accountId: WebhookOwner;
  url: string;
  description: string | null;
  /** Null: all. */
  eventTypes: readonly string[] | null;
  keyVersion: number;
  /** The generation of its secret. */
  generation: number;
  /** The secret before signs too for a day from then on. */
  rotatedAt: Date | null;
  createdAt: Date;
  /** Null while it is switched on. */
  offReason: 'owner' | 'failures' | 'gone' | null;
  /** Attempts in a row that failed. */
  failures: number;
  lastSuccessAt: Date | null;
}

const COLUMNS = `id, account_id AS "accountId", url, description, event_types AS "eventTypes", key_version AS "keyVersion",
  generation, rotated_at AS "rotatedAt", created_at AS "createdAt", off_reason AS "offReason", failures,
  last_success_at AS "lastSuccessAt"`;
const OF_OWNER = 'account_id IS NOT DISTINCT FROM $1::uuid';

/**
 * Whether a webhook may go to a URL: https, or http on this machine for development. Its address is checked when it
 * is called, since a name may resolve to another one by then.
 */
export function isAllowedUrl(url: string, { allowsHttp }: { allowsHttp: boolean }): boolean {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:') return true;
  return allowsHttp && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

export interface NewEndpoint {
  url: string;
  description: string | null;
  eventTypes: readonly string[] | null;
  /** The version of the key for new secrets. */
  keyVersion: number;
}

/** Creates an endpoint; undefined if the owner has `most` already. */
export async function createEndpoint(
  owner: WebhookOwner,
  db: Queryable,
  { url, description, eventTypes, keyVersion }: NewEndpoint,
  most: number,
): Promise<WebhookEndpoint | undefined> {
  const { rows } = await db.query<WebhookEndpoint>(
    `INSERT INTO webhook_endpoint (id, account_id, url, description, event_types, key_version)
     SELECT $2::uuid, $1, $3::text, $4::text, $5::text[], $6::int
     WHERE (SELECT count(*) FROM webhook_endpoint WHERE ${OF_OWNER}) < $7 RETURNING ${COLUMNS}`,
    [owner, uuidV7(), url, description, eventTypes, keyVersion, most],
  );
  return rows[0];
}

/** Newest first: at most `count`, after the endpoint `afterId`. */
export async function listEndpoints(
  owner: WebhookOwner,
  db: Queryable,
  { afterId, count }: { afterId?: string | undefined; count: number },
): Promise<WebhookEndpoint[]> {
  const { rows } = await db.query<WebhookEndpoint>(
    `SELECT ${COLUMNS} FROM webhook_endpoint WHERE ${OF_OWNER} AND ($2::uuid IS NULL OR id < $2)
     ORDER BY id DESC LIMIT $3`,
    [owner, afterId, count],
  );
  return rows;
}

export async function findEndpoint(
  owner: WebhookOwner,
  db: Queryable,
  endpointId: string,
): Promise<WebhookEndpoint | undefined> {
  const { rows } = await db.query<WebhookEndpoint>(
    `SELECT ${COLUMNS} FROM webhook_endpoint WHERE ${OF_OWNER} AND id = $2`,
    [owner, endpointId],
  );
  return rows[0];
}

/** For operators, who see those of all owners. */
export async function findEndpointOfAny(
  db: Queryable,
  endpointId: string,
): Promise<WebhookEndpoint | undefined> {
  const { rows } = await db.query<WebhookEndpoint>(`SELECT ${COLUMNS} FROM webhook_endpoint WHERE id = $1`, [
    endpointId,
  ]);
  return rows[0];
}

/** Whether an owner has an endpoint. */
export async function ownsEndpoint(owner: WebhookOwner, db: Queryable, endpointId: string): Promise<boolean> {
  return (await findEndpoint(owner, db, endpointId)) !== undefined;
}

/** `undefined` leaves a setting as it is. */
export interface EndpointUpdate {
  url?: string | undefined;
  description?: string | null | undefined;
  eventTypes?: readonly string[] | null | undefined;
  isOn?: boolean | undefined;
}

/** Changes an endpoint; undefined if the owner has none. One that is switched on again begins without failures. */
export async function updateEndpoint(
  owner: WebhookOwner,
  db: Queryable,
  endpointId: string,
  { url, description, eventTypes, isOn }: EndpointUpdate,
): Promise<WebhookEndpoint | undefined> {
  const { rows } = await db.query<WebhookEndpoint>(
    `UPDATE webhook_endpoint
     SET url = coalesce($3, url), description = CASE WHEN $4 THEN $5 ELSE description END,
         event_types = CASE WHEN $6 THEN $7 ELSE event_types END,
         failures = CASE WHEN $8 AND off_reason IS NOT NULL THEN 0 ELSE failures END,
         off_reason = CASE WHEN $8 IS NULL THEN off_reason WHEN NOT $8 THEN coalesce(off_reason, 'owner') END
     WHERE ${OF_OWNER} AND id = $2 RETURNING ${COLUMNS}`,
    [
      ...[owner, endpointId, url],
      ...[description !== undefined, description, eventTypes !== undefined, eventTypes, isOn],
    ],
  );
  return rows[0];
}

/** A new secret; the former one signs too for a day. Undefined if the owner has no such endpoint. */
export async function rotateSecret(
  owner: WebhookOwner,
  db: Queryable,
  endpointId: string,
  keyVersion: number,
): Promise<WebhookEndpoint | undefined> {
  const { rows } = await db.query<WebhookEndpoint>(
    `UPDATE webhook_endpoint
     SET generation = generation + 1, former_key_version = key_version, key_version = $3, rotated_at = clock_timestamp()
     WHERE ${OF_OWNER} AND id = $2 RETURNING ${COLUMNS}`,
    [owner, endpointId, keyVersion],
  );
  return rows[0];
}

/** Deletes an endpoint with its deliveries. Returns it; undefined if the owner has none. */
export async function deleteEndpoint(
  owner: WebhookOwner,
  db: Queryable,
  endpointId: string,
): Promise<WebhookEndpoint | undefined> {
  const { rows } = await db.query<WebhookEndpoint>(
    `DELETE FROM webhook_endpoint WHERE ${OF_OWNER} AND id = $2 RETURNING ${COLUMNS}`,
    [owner, endpointId],
  );
  return rows[0];
}

/** Endpoints of the operators that were switched off because nothing could be delivered. */
export async function countDisabledOfOperators(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM webhook_endpoint WHERE account_id IS NULL AND off_reason IN ('failures', 'gone')`,
  );
  return rows[0]?.count ?? 0;
}
