import type { UsageOutcome } from '@farebox/errors';
import type { BatchMeasure } from '@farebox/ledger';
import { toMetricDollars, type Counter, type Histogram, type Metrics } from '@farebox/observability';
import type { CountResult } from './tokens/token-counter';
import type { NoteResult } from './paid/uncharged-requests';
import type { ChargeMeter } from './paid/charged-usage';

interface ModelInstruments {
  dollars: Counter;
  promptTokens: Counter;
  completionTokens: Counter;
  firstToken: Histogram;
  outcomes: Record<UsageOutcome, Counter>;
  abandoned: Counter;
  abandonedDollars: Counter;
}

export function createChargeMeter(metrics: Metrics): ChargeMeter {
  // Present from the beginning: an alert sees no growth in a series that begins with 1.
  const unrecorded = metrics.counter('farebox_charges_unrecorded_total');
  const models = new Map<string, ModelInstruments>();

  function instrumentsOf(model: string): ModelInstruments {
    const known = models.get(model);
    if (known) return known;
    const ended = (outcome: UsageOutcome): Counter =>
      metrics.counter('farebox_charges_total', model, outcome);
    const instruments: ModelInstruments = {
      dollars: metrics.counter('farebox_charged_dollars_total', model),
      promptTokens: metrics.counter('farebox_tokens_total', model, 'prompt'),
      completionTokens: metrics.counter('farebox_tokens_total', model, 'completion'),
      firstToken: metrics.histogram('farebox_first_token_seconds', model),
      outcomes: {
        completed: ended('completed'),
        client_gone: ended('client_gone'),
        upstream_failed: ended('upstream_failed'),
        upstream_timeout: ended('upstream_timeout'),
        shutdown: ended('shutdown'),
        suspended: ended('suspended'),
      },
      abandoned: metrics.counter('farebox_abandoned_requests_total', model),
      abandonedDollars: metrics.counter('farebox_abandoned_cost_dollars_total', model),
    };
    models.set(model, instruments);
    return instruments;
  }

  return {
    recorded(modelId, { promptTokens, completionTokens, outcome, firstTokenMs }, costNano) {
      const instruments = instrumentsOf(modelId);
      instruments.dollars.add(toMetricDollars(costNano));
      instruments.promptTokens.add(promptTokens);
      instruments.completionTokens.add(completionTokens);
      instruments.outcomes[outcome].add();
      if (firstTokenMs !== undefined) instruments.firstToken.observe(firstTokenMs / 1_000);
    },
    unrecorded() {
      unrecorded.add();
    },
    abandoned(modelId, costNano) {
      const instruments = instrumentsOf(modelId);
      instruments.abandoned.add();
      instruments.abandonedDollars.add(toMetricDollars(costNano));
    },
  };
}

/** Measures token counts. */
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

/** Measures the records of free requests. */
export function createUnchargedMeter(metrics: Metrics): (result: NoteResult, count: number) => void {
  const notes = {
    kept: metrics.counter('farebox_uncharged_requests_total', 'kept'),
    over_pace: metrics.counter('farebox_uncharged_requests_total', 'over_pace'),
    queue_full: metrics.counter('farebox_uncharged_requests_total', 'queue_full'),
    failed: metrics.counter('farebox_uncharged_requests_total', 'failed'),
  } satisfies Record<NoteResult, unknown>;
  return (result, count) => {
    notes[result].add(count);
  };
}

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
