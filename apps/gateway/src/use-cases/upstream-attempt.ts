import type { Logger, Span } from '@farebox/observability';
import type { CallResult, UpstreamMeter } from '../telemetry/upstream-meter';
import type { RouteTarget } from '../upstream/call-routes';
import type { UpstreamFailure, UpstreamFailureKind } from '../upstream/failure';

/** One call to an upstream, as it is told to those who operate the service. The first end counts. */
export interface UpstreamAttempt {
  answered(): void;
  failed(failure: UpstreamFailure): void;
  /** Nobody waits for it any more. */
  left(): void;
}

export interface AttemptContext {
  log: Logger;
  upstreams: UpstreamMeter;
  /** Of the request. */
  span: Span;
  requestId: string;
  modelId: string;
}

/**
 * A secret or a model that the upstream does not know is for an operator to mend. That a circuit is open was said when
 * it opened.
 */
const LEVELS: Record<UpstreamFailureKind, 'error' | 'warn' | 'debug'> = {
  misconfigured: 'error',
  unavailable: 'warn',
  garbage: 'warn',
  timeout: 'warn',
  refused_request: 'warn',
  full: 'warn',
  circuit_open: 'debug',
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
  { kind, status, cause }: UpstreamFailure,
): void {
  const ids = { request_id: requestId, upstream_id: upstreamId, model: modelId };
  log[LEVELS[kind]](
    { event: 'upstream_failed', ...ids, reason: kind, upstream_status: status, error: cause },
    'an upstream failed',
  );
}
