import { toPublicId } from '@farebox/auth';
import { MINUTE_MS, SECOND_MS } from '@farebox/flow';
import type { Logger } from '@farebox/observability';
import {
  claimDeliveries,
  endAttempt,
  pauseAfter,
  sendWebhook,
  type AttemptResult,
  type ClaimedDelivery,
  type EndedAttempt,
  type WebhookSecrets,
  type WebhookTransport,
} from '@farebox/webhooks';
import type { Pool } from 'pg';
import { toWebhookPayload } from './webhook-payload';

/** More than an attempt and its record take. If a worker dies, others try again after it. */
const LEASE_MS = MINUTE_MS;
export const ATTEMPT_TIMEOUT_MS = 10 * SECOND_MS;

/** Concurrent attempts: in all, at one endpoint, and at endpoints whose last attempt failed. */
const MOST = 30;
const MOST_EACH = 5;
const MOST_FAILING = 10;

interface WebhookParts {
  pool: Pool;
  secrets: WebhookSecrets;
  transport: WebhookTransport;
  log: Logger;
}

export interface WebhookDeliverer {
  /** Begins the attempts that are due and for which there is room. */
  begin(): Promise<void>;
  /** Waits until all attempts have ended. */
  settle(): Promise<void>;
}

/**
 * Sends events to endpoints, at least once and in no order. Any number of workers may do it. An endpoint has one
 * batch at a time, so that a slow one takes a share of the room and no more.
 */
export function openWebhookDeliverer(parts: WebhookParts): WebhookDeliverer {
  const running = new Map<Promise<void>, ClaimedDelivery>();

  function start(delivery: ClaimedDelivery): void {
    const attempt = deliver(parts, delivery)
      // It is due again once its lease has ended.
      .catch((error: unknown) => {
        parts.log.warn(
          { event: 'webhook_not_recorded', ...idsOf(delivery), error },
          'an attempt of a webhook was not recorded: it will be made again',
        );
      })
      .finally(() => running.delete(attempt));
    running.set(attempt, delivery);
  }

  return {
    async begin() {
      const deliveries = [...running.values()];
      const most = MOST - deliveries.length;
      if (most <= 0) return;
      const failing = deliveries.filter(({ failures }) => failures > 0).length;
      const claimed = await claimDeliveries(parts.pool, {
        busyIds: [...new Set(deliveries.map(({ endpointId }) => endpointId))],
        most,
        mostEach: MOST_EACH,
        mostFailing: Math.max(0, MOST_FAILING - failing),
        leaseMs: LEASE_MS,
      });
      claimed.forEach(start);
    },
    async settle() {
      await Promise.all(running.keys());
    },
  };
}

async function deliver(
  { pool, secrets, transport, log }: WebhookParts,
  delivery: ClaimedDelivery,
): Promise<void> {
  const { endpointId, eventId, attempt, url } = delivery;
  const body = JSON.stringify(toWebhookPayload(delivery));
  const result = await sendWebhook({ url, headers: headersOf(delivery, body, secrets), body }, transport);
  const end = endOf(attempt, result);
  const isSwitchedOff = await endAttempt(pool, { endpointId, eventId, ...end });
  const fields = { ...idsOf(delivery), attempt, status: end.status ?? undefined, reason: end.error };
  if (end.isDelivered) log.debug({ event: 'webhook_delivered', ...fields }, 'a webhook was delivered');
  else log.info({ event: 'webhook_failed', ...fields }, 'an attempt of a webhook failed');
  if (isSwitchedOff) log.warn({ event: 'webhook_switched_off', ...fields }, 'a webhook was switched off');
}

const GONE = 410;

type AttemptEnd = Pick<EndedAttempt, 'isDelivered' | 'status' | 'error' | 'pauseMs'>;

/** The outcome of an attempt for its delivery. Everything but 2xx is a failure: redirects are not followed. */
export function endOf(attempt: number, result: AttemptResult): AttemptEnd {
  const status = 'status' in result ? result.status : null;
  const isDelivered = status !== null && status >= 200 && status <= 299;
  const isLast = isDelivered || status === GONE;
  return {
    isDelivered,
    status,
    error: 'error' in result ? result.error : null,
    pauseMs: isLast ? null : (pauseAfter(attempt) ?? null),
  };
}

/** Source: https://github.com/standard-webhooks/standard-webhooks */
function headersOf(
  { endpointId, eventId, generation, keyVersion, formerKeyVersion }: ClaimedDelivery,
  body: string,
  secrets: WebhookSecrets,
): Record<string, string> {
  const id = toPublicId('whmsg', eventId);
  const timestamp = Math.floor(Date.now() / SECOND_MS);
  const names = [
    { endpointId, generation, keyVersion },
    ...(formerKeyVersion === null
      ? []
      : [{ endpointId, generation: generation - 1, keyVersion: formerKeyVersion }]),
  ];
  return {
    'content-type': 'application/json',
    'user-agent': 'Farebox-Webhooks',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': names.map((name) => secrets.sign(name, { id, timestamp, body })).join(' '),
  };
}

function idsOf({ endpointId, eventId, accountId }: ClaimedDelivery) {
  return {
    webhook_id: toPublicId('hook', endpointId),
    message_id: toPublicId('whmsg', eventId),
    account_id: accountId === null ? null : toPublicId('acct', accountId),
  };
}
