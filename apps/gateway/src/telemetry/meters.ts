import type { BatchMeasure } from '@farebox/ledger';
import type { Metrics } from '@farebox/observability';
import type { CountResult } from '../token-counts/token-counter';

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

/** Measures the counts of tokens. */
export function createCountMeter(metrics: Metrics): (result: CountResult, durationMs: number) => void {
  const counts = {
    counted: metrics.counter('farebox_token_counts_total', 'counted'),
    late: metrics.counter('farebox_token_counts_total', 'late'),
    crowded: metrics.counter('farebox_token_counts_total', 'crowded'),
    failed: metrics.counter('farebox_token_counts_total', 'failed'),
  } satisfies Record<CountResult, unknown>;
  const durations = metrics.histogram('farebox_token_count_duration_seconds');
  return (result, durationMs) => {
    counts[result].add();
    durations.observe(durationMs / 1_000);
  };
}
