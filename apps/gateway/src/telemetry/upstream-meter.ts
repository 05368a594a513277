import type { Counter, Metrics } from '@farebox/observability';
import type { UpstreamFailureKind } from '../upstream/failure';

/** How a call to an upstream ended; `left`: nobody waited for its end any more. */
export type CallResult = UpstreamFailureKind | 'answered' | 'left';

/** Measures the calls to upstreams. */
export interface UpstreamMeter {
  ended(upstreamId: string, upstreamModel: string, result: CallResult): void;
  circuitChanged(upstreamId: string, upstreamModel: string, isOpen: boolean): void;
}

export function createUpstreamMeter(metrics: Metrics): UpstreamMeter {
  const calls = new Map<string, Map<string, Map<CallResult, Counter>>>();

  function counterOf(upstreamId: string, upstreamModel: string, result: CallResult): Counter {
    const known = calls.get(upstreamId)?.get(upstreamModel)?.get(result);
    if (known) return known;
    const counter = metrics.counter('farebox_upstream_calls_total', upstreamId, upstreamModel, result);
    // There before it is needed: an alert sees no growth in a series that begins with 1.
    metrics.counter('farebox_upstream_calls_total', upstreamId, upstreamModel, 'misconfigured');
    const models = calls.get(upstreamId) ?? new Map<string, Map<CallResult, Counter>>();
    const results = models.get(upstreamModel) ?? new Map<CallResult, Counter>();
    calls.set(upstreamId, models.set(upstreamModel, results.set(result, counter)));
    return counter;
  }

  return {
    ended(upstreamId, upstreamModel, result) {
      counterOf(upstreamId, upstreamModel, result).add();
    },
    circuitChanged(upstreamId, upstreamModel, isOpen) {
      metrics.gauge('farebox_upstream_circuit_open', upstreamId, upstreamModel).set(isOpen);
    },
  };
}
