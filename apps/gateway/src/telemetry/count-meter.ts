import type { Metrics } from '@farebox/observability';
import type { CountResult } from '../token-counts/token-counter';

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
