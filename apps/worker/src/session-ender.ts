import { endOverlongSessions } from '@farebox/database';
import { HOUR_MS } from '@farebox/flow';
import type { Logger, Metrics } from '@farebox/observability';
import type { Pool } from 'pg';

/** More than its longest statement may take, which is an hour. */
const LONGEST_OF_WORKER_MS = 2 * HOUR_MS;

interface SessionEnderParts {
  pool: Pool;
  metrics: Metrics;
  log: Logger;
  /** For the sessions of gateways and account services. */
  longestMs: number;
}

/**
 * Returns a job that ends database sessions of services that run for too long, because they have lifted the
 * limits that every session begins with. Idempotent.
 */
export function sessionEnder({ pool, metrics, log, longestMs }: SessionEnderParts): () => Promise<void> {
  // Made at the start, since an alert on the growth of a series misses its first value.
  const ended = {
    gateway: metrics.counter('farebox_overlong_sessions_total', 'gateway'),
    account: metrics.counter('farebox_overlong_sessions_total', 'account'),
    worker: metrics.counter('farebox_overlong_sessions_total', 'worker'),
    operator: metrics.counter('farebox_overlong_sessions_total', 'operator'),
  };
  return async () => {
    const limits = { longestMs, longestOfWorkerMs: LONGEST_OF_WORKER_MS };
    for (const { service, login, ranForMs } of await endOverlongSessions(pool, limits)) {
      ended[service].add();
      log.error(
        { event: 'session_ended', login, duration_ms: Math.round(ranForMs) },
        'ended a database session of a service that ran for too long',
      );
    }
  };
}
