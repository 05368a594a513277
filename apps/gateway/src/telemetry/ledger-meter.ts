import type { BatchMeasure } from '@farebox/ledger';
import type { Metrics } from '@farebox/observability';

/** Measures the calls of the ledger. */
export function createLedgerMeter(metrics: Metrics): (batch: BatchMeasure) => void {
  const items = metrics.histogram('farebox_ledger_batch_items');
  const durations = metrics.histogram('farebox_ledger_batch_duration_seconds');
  const waits = metrics.histogram('farebox_ledger_batch_wait_seconds');
  const contentions = metrics.counter('farebox_ledger_contended_total');
  return ({ settlements, admissions, contended, durationMs, longestWaitMs }) => {
    items.observe(settlements + admissions);
    contentions.add(contended);
    durations.observe(durationMs / 1_000);
    waits.observe(longestWaitMs / 1_000);
  };
}
