import type { Counter, Logger, Metrics, Span } from '@farebox/observability';
import type { CircuitChange } from './call-gate';
import type { UpstreamFailure, UpstreamFailureKind } from './failure';
import type { RouteTarget } from './failed-calls';

/** Reports one call to an upstream to the operators. The first end counts. */
export interface UpstreamAttempt {
  answered(): void;
  failed(failure: UpstreamFailure): void;
  /** The caller no longer waits for it. */
  left(): void;
}

interface AttemptContext {
  log: Logger;
  upstreams: UpstreamMeter;
  /** The span of the request. */
  span: Span;
  requestId: string;
  modelId: string;
}

/**
 * Operators must fix a secret or a model that the upstream does not know. An open circuit was logged when it
 * opened, and a requested pause when it arrived.
 */
const LEVELS: Record<UpstreamFailureKind, 'error' | 'warn' | 'debug'> = {
  misconfigured: 'error',
  unavailable: 'warn',
  garbage: 'warn',
  timeout: 'warn',
  refused_request: 'warn',
  full: 'warn',
  circuit_open: 'debug',
  told_to_wait: 'debug',
};

export function beginAttempt(context: AttemptContext, { route, client }: RouteTarget): UpstreamAttempt {
  const { upstream } = client;
  const { upstreamModel } = route;
  const { span: ofRequest, upstreams } = context;
  const span = ofRequest.isRecording
    ? ofRequest.child('upstream', 'client', {
        'farebox.upstream': upstream.id,
        'farebox.upstream_model': upstreamModel,
      })
    : undefined;
  let hasEnded = false;

  function end(result: CallResult, failure?: UpstreamFailure): void {
    if (hasEnded) return;
    hasEnded = true;
    upstreams.ended(upstream.id, upstreamModel, result);
    if (failure) logFailure(context, upstream.id, failure);
    if (!span) return;
    span.set({ 'farebox.outcome': result, 'http.response.status_code': failure?.status });
    span.end(failure?.kind);
  }

  return {
    answered: () => {
      end('answered');
    },
    failed: (failure) => {
      end(failure.kind, failure);
    },
    left: () => {
      end('left');
    },
  };
}

function logFailure(
  { log, requestId, modelId }: AttemptContext,
  upstreamId: string,
  { kind, status, retryAfterMs, cause }: UpstreamFailure,
): void {
  const ids = { request_id: requestId, upstream_id: upstreamId, model: modelId };
  log[LEVELS[kind]](
    {
      event: 'upstream_failed',
      ...ids,
      reason: kind,
      upstream_status: status,
      wait_ms: retryAfterMs,
      error: cause,
    },
    'an upstream failed',
  );
}

/** How a call to an upstream ended; `left`: the caller no longer waited for it. */
type CallResult = UpstreamFailureKind | 'answered' | 'left';

export type UpstreamMeter = ReturnType<typeof createUpstreamMeter>;

/** Measures the calls to upstreams. */
export function createUpstreamMeter(metrics: Metrics) {
  const calls = new Map<string, Map<string, Map<CallResult, Counter>>>();

  function counterOf(upstreamId: string, upstreamModel: string, result: CallResult): Counter {
    const known = calls.get(upstreamId)?.get(upstreamModel)?.get(result);
    if (known) return known;
    const counter = metrics.counter('farebox_upstream_calls_total', upstreamId, upstreamModel, result);
    // Created in advance: an alert sees no growth in a series that begins with 1.
    metrics.counter('farebox_upstream_calls_total', upstreamId, upstreamModel, 'misconfigured');
    const models = calls.get(upstreamId) ?? new Map<string, Map<CallResult, Counter>>();
    const results = models.get(upstreamModel) ?? new Map<CallResult, Counter>();
    calls.set(upstreamId, models.set(upstreamModel, results.set(result, counter)));
    return counter;
  }

  return {
    ended(upstreamId: string, upstreamModel: string, result: CallResult): void {
      counterOf(upstreamId, upstreamModel, result).add();
    },
    circuitChanged(upstreamId: string, upstreamModel: string, isOpen: boolean): void {
      metrics.gauge('farebox_upstream_circuit_open', upstreamId, upstreamModel).set(isOpen);
    },
  };
}

/** Logs that a model is paused, or asked again. A pause that is followed by the next one is not news. */
export function logCircuitChange(
  log: Logger,
  upstreamId: string,
  upstreamModel: string,
  change: CircuitChange,
): void {
  const fields = { upstream_id: upstreamId, upstream_model: upstreamModel };
  if (change.state === 'closed')
    log.info({ event: 'upstream_circuit_closed', ...fields }, 'an upstream works again');
  else if (change.wasOpen)
    log.debug(
      { event: 'upstream_circuit_still_open', ...fields, wait_ms: change.pauseMs },
      'an upstream stays paused',
    );
  else
    log.warn(
      { event: 'upstream_circuit_opened', ...fields, wait_ms: change.pauseMs },
      'an upstream is paused',
    );
}
