import { inPieces, type Queryable } from '@farebox/database';
import { MOST_ATTEMPTS } from './retries';
import type { WebhookOwner } from './endpoints';
import type { AttemptError } from './send-webhook';

/** An event that is due at an endpoint. */
export interface ClaimedDelivery {
  endpointId: string;
  url: string;
  generation: number;
  keyVersion: number;
  /** Set while the secret before signs too. */
  formerKeyVersion: number | null;
  /** Attempts in a row that had failed before. */
  failures: number;
  eventId: string;
  accountId: string | null;
  type: string;
  /** With ids and amounts as they are stored. */
  data: Readonly<Record<string, string | number | null>>;
  createdAt: Date;
  /** Counted from 1. */
  attempt: number;
}

/** The share that one claim may take. */
interface ClaimLimits {
  /** Endpoints that are passed over. */
  busyIds: readonly string[];
  most: number;
  /** The most deliveries to one endpoint. */
  mostEach: number;
  /** The most deliveries to endpoints whose last attempt failed; each of them gets one. */
  mostFailing: number;
  /** After this time without an end, the same deliveries are due again. */
  leaseMs: number;
}

export async function claimDeliveries(
  db: Queryable,
  { busyIds, most, mostEach, mostFailing, leaseMs }: ClaimLimits,
): Promise<ClaimedDelivery[]> {
  const { rows } = await db.query<ClaimedDelivery>(
    `SELECT endpoint_id AS "endpointId", url, generation, key_version AS "keyVersion",
            former_key_version AS "formerKeyVersion", failures, event_id AS "eventId", account_id AS "accountId", type,
            data, created_at AS "createdAt", attempt
     FROM webhook_claim($1, $2, $3, $4, $5 * interval '1 millisecond')`,
    [busyIds, most, mostEach, mostFailing, leaseMs],
  );
  return rows;
}

export interface EndedAttempt extends Pick<ClaimedDelivery, 'endpointId' | 'eventId'> {
  isDelivered: boolean;
  status: number | null;
  error: AttemptError | null;
  /** Null: no further attempt. */
  pauseMs: number | null;
}

/** Records an attempt. Returns whether it switched the endpoint off. */
export async function endAttempt(
  db: Queryable,
  { endpointId, eventId, isDelivered, status, error, pauseMs }: EndedAttempt,
): Promise<boolean> {
  const { rows } = await db.query<{ off: boolean }>(
    `SELECT webhook_end_attempt($1, $2, $3, $4, $5, $6 * interval '1 millisecond', $7) AS off`,
    [endpointId, eventId, isDelivered, status, error, pauseMs, MOST_ATTEMPTS],
  );
  return rows[0]?.off === true;
}

/**
 * Posts a test event for one endpoint. Returns its id; undefined if the owner has no such endpoint, or it is switched
 * off.
 */
export async function postTestEvent(
  owner: WebhookOwner,
  db: Queryable,
  endpointId: string,
): Promise<string | undefined> {
  const { rows } = await db.query<{ id: string | null }>('SELECT webhook_test($1, $2) AS id', [
    endpointId,
    owner,
  ]);
  return rows[0]?.id ?? undefined;
}

/**
 * Makes a delivery that has ended due again, with all of its attempts. Returns false if the owner has no such endpoint
 * that is switched on, or the delivery has not ended.
 */
export async function resendDelivery(
  owner: WebhookOwner,
  db: Queryable,
  { endpointId, eventId }: Pick<ClaimedDelivery, 'endpointId' | 'eventId'>,
): Promise<boolean> {
  const { rows } = await db.query<{ due: boolean }>('SELECT webhook_resend($1, $2, $3) AS due', [
    endpointId,
    eventId,
    owner,
  ]);
  return rows[0]?.due === true;
}

/**
 * Posts events of limits that have reached 80 or 95 percent, once each: the monthly limits of API keys, daily caps, and
 * limit policies. Idempotent.
 */
export async function findReachedLimits(db: Queryable): Promise<void> {
  await db.query('SELECT webhook_find_limits()');
  await db.query('SELECT webhook_find_usage_limits()');
}

/** Deletes events after thirty days, with their deliveries. Returns the number of events. */
export function purgeWebhookEvents(db: Queryable, batch = 1_000): Promise<number> {
  return inPieces(db, 'SELECT webhook_purge($1) AS count', batch);
}
