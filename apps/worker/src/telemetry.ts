import { readOldestNoticeSeconds } from '@farebox/billing';
import { findOpenSchedule } from '@farebox/catalog';
import { singleFlight, within } from '@farebox/flow';
import { JOBS, type JobHandlers, type JobName, type QueueMeasure } from '@farebox/jobs';
import { readLastCheck, readMoneyAtRisk, readPartitionReach } from '@farebox/ledger';
import { readOutboxBacklog } from '@farebox/mail';
import { toMetricDollars, type GaugeName, type Metrics, type Telemetry } from '@farebox/observability';
import { countDisabledOfOperators } from '@farebox/webhooks';
import type { Pool } from 'pg';

interface ServiceSources {
  pool: Pool;
  measureQueues: () => Promise<QueueMeasure[]>;
}

interface Part {
  gauges: readonly GaugeName[];
  show: (metrics: Metrics, sources: ServiceSources) => Promise<void>;
}

const PARTS: readonly Part[] = [
  {
    gauges: [
      'farebox_holds_open',
      'farebox_holds_open_dollars',
      'farebox_hold_oldest_age_seconds',
      'farebox_reviews_open',
      'farebox_gateway_leases',
    ],
    async show(metrics, { pool }) {
      const { holds, openReviews, leases } = await readMoneyAtRisk(pool);
      metrics.gauge('farebox_holds_open').set(holds.count);
      metrics.gauge('farebox_holds_open_dollars').set(toMetricDollars(holds.amountNano));
      metrics.gauge('farebox_hold_oldest_age_seconds').set(holds.oldestSeconds);
      for (const [reason, count] of Object.entries(openReviews))
        metrics.gauge('farebox_reviews_open', reason).set(count);
      metrics.gauge('farebox_gateway_leases', 'live').set(leases.live);
      metrics.gauge('farebox_gateway_leases', 'lapsed').set(leases.lapsed);
    },
  },
  {
    gauges: ['farebox_books_differences', 'farebox_books_checked_timestamp_seconds'],
    async show(metrics, { pool }) {
      const check = await readLastCheck(pool);
      metrics.gauge('farebox_books_differences').set(check?.differences);
      const checkedAtMs = check?.checkedAt.getTime();
      metrics
        .gauge('farebox_books_checked_timestamp_seconds')
        .set(checkedAtMs === undefined ? undefined : checkedAtMs / 1_000);
    },
  },
  {
    gauges: ['farebox_partitions_end_timestamp_seconds', 'farebox_partitions_beyond_rows'],
    async show(metrics, { pool }) {
      const { endAt, rowsBeyond } = await readPartitionReach(pool);
      metrics.gauge('farebox_partitions_end_timestamp_seconds').set(endAt.getTime() / 1_000);
      metrics.gauge('farebox_partitions_beyond_rows').set(rowsBeyond);
    },
  },
  {
    gauges: ['farebox_scheduled_catalog_refused'],
    async show(metrics, { pool }) {
      const open = await findOpenSchedule(pool);
      metrics.gauge('farebox_scheduled_catalog_refused').set(open?.state === 'refused' ? 1 : 0);
    },
  },
  {
    gauges: ['farebox_webhooks_disabled'],
    async show(metrics, { pool }) {
      metrics.gauge('farebox_webhooks_disabled').set(await countDisabledOfOperators(pool));
    },
  },
  {
    gauges: ['farebox_outbox_rows', 'farebox_outbox_oldest_seconds'],
    async show(metrics, { pool }) {
      const { rows, oldestSeconds } = await readOutboxBacklog(pool);
      metrics.gauge('farebox_outbox_rows').set(rows);
      metrics.gauge('farebox_outbox_oldest_seconds').set(oldestSeconds);
    },
  },
  {
    gauges: ['farebox_payment_oldest_seconds'],
    async show(metrics, { pool }) {
      metrics.gauge('farebox_payment_oldest_seconds').set(await readOldestNoticeSeconds(pool));
    },
  },
  {
    gauges: ['farebox_queue_jobs', 'farebox_queue_oldest_waiting_seconds'],
    async show(metrics, { measureQueues }) {
      for (const { queue, oldestWaitingMs, ...counts } of await measureQueues()) {
        for (const state of ['waiting', 'active', 'delayed', 'failed'] as const)
          metrics.gauge('farebox_queue_jobs', queue, state).set(counts[state]);
        metrics.gauge('farebox_queue_oldest_waiting_seconds', queue).set(oldestWaitingMs / 1_000);
      }
    },
  },
];

/** Prometheus waits ten seconds by default. */
const LONGEST_READ_MS = 4_000;

/**
 * Measures the whole service before each scrape: the contents of PostgreSQL and of the queues. Values that
 * cannot be read now are hidden: an old number would look like a new one.
 */
export function measureService(metrics: Metrics, sources: ServiceSources): void {
  for (const { gauges, show } of PARTS) {
    // If one has not ended by the next scrape, no second one starts.
    const showOnce = singleFlight(() => show(metrics, sources));
    metrics.beforeScrape(async () => {
      try {
        await within(LONGEST_READ_MS, showOnce());
      } catch {
        // Code that needs the same data for its work reports the reason.
        metrics.hide(gauges);
      }
    });
  }
}

/** The same handlers with metrics and traces for each run. */
export function observedHandlers(handlers: JobHandlers, telemetry: Telemetry): JobHandlers {
  const observed = Object.entries(handlers).map(([name, handle]) => [
    name,
    observe(name as JobName, handle as Handle, telemetry),
  ]);
  return Object.fromEntries(observed) as JobHandlers;
}

type Handle = (payload: unknown, delivery: { id: string }) => Promise<void>;

function observe(job: JobName, handle: Handle, { metrics, tracer }: Telemetry): Handle {
  const done = metrics.histogram('farebox_job_duration_seconds', job, 'done');
  const failed = metrics.histogram('farebox_job_duration_seconds', job, 'failed');
  const { queue } = JOBS[job];
  return async (payload, delivery) => {
    const span = tracer.start(`job ${job}`, 'consumer', {
      'farebox.job': job,
      'farebox.queue': queue,
      'farebox.job_id': delivery.id,
    });
    const startedMs = performance.now();
    try {
      await handle(payload, delivery);
      done.observe((performance.now() - startedMs) / 1_000);
      span.end();
    } catch (error) {
      failed.observe((performance.now() - startedMs) / 1_000);
      span.end('job_failed');
      throw error;
    }
  };
}
