import { toMetricDollars, type Counter, type Histogram, type Metrics } from '@farebox/observability';
import type { NanoUsd } from '@farebox/money';
import type { UsageOutcome } from '@farebox/ledger';

/** A charge, as far as it is measured. */
export interface MeteredCharge {
  promptTokens: number;
  completionTokens: number;
  outcome: UsageOutcome;
  firstTokenMs?: number | undefined;
}

/** Measures what is sold. */
export interface ChargeMeter {
  recorded(modelId: string, charge: MeteredCharge, costNano: NanoUsd): void;
  unrecorded(): void;
}

interface ModelInstruments {
  dollars: Counter;
  promptTokens: Counter;
  completionTokens: Counter;
  firstToken: Histogram;
  outcomes: Record<UsageOutcome, Counter>;
}

export function createChargeMeter(metrics: Metrics): ChargeMeter {
  // There from the beginning: an alert sees no growth in a series that begins with 1.
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
      },
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
  };
}
