import type { Counter, Logger, Metrics, Span, SpanAttributes } from '@farebox/observability';
import type { Upstream } from '@farebox/catalog';
import type { CircuitChange } from './call-gate';
import type { UpstreamFailure, UpstreamFailureKind } from './failure';
import type { RouteTarget } from './failed-calls';

/** Reports one call to an upstream to the operators. The first end counts. */
export interface UpstreamAttempt {
  answered(): void;
  failed(failure: UpstreamFailure): void;
  /** The caller no longer waits for it. */
  left(): void;
  /** Completes the trace of a call that did not fail, once it is known what is charged for it, or that nothing is. */
  close(attributes?: SpanAttributes): void;
}

interface AttemptContext {
  log: Logger;
  upstreams: UpstreamMeter;
  /** The span of the request. */
  span: Span;
  requestId: string;
  modelId: string;
  operation: 'chat' | 'embeddings';
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
  const { span: ofRequest, upstreams, operation } = context;
  const span = ofRequest.isRecording
    ? ofRequest.child(`${operation} ${upstreamModel}`, 'client', {
        'farebox.upstream': upstream.id,
        'gen_ai.operation.name': operation,
        'gen_ai.request.model': upstreamModel,
        ...serverOf(upstream),
      })
    : undefined;
  let hasEnded = false;
  let isClosed = false;
  let endedAt: Date | undefined;

  function end(result: CallResult, failure?: UpstreamFailure): void {
    if (hasEnded) return;
    hasEnded = true;
    upstreams.ended(upstream.id, upstreamModel, result);
    if (failure) logFailure(context, upstream.id, failure);
    if (!span) return;
    span.set({ 'farebox.outcome': result, 'http.response.status_code': failure?.status });
    if (failure || isClosed) span.end(failure?.kind);
    else endedAt = new Date();
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
    close(attributes) {
      if (!span || isClosed) return;
      isClosed = true;
      if (attributes) span.set(attributes);
      if (endedAt) span.end(undefined, endedAt);
    },
  };
}

/** Providers that the conventions know, by the host that is asked or its end. */
const PROVIDERS: readonly (readonly [host: string, name: string])[] = [
  ['api.openai.com', 'openai'],
  ['.openai.azure.com', 'azure.ai.openai'],
  ['.services.ai.azure.com', 'azure.ai.inference'],
  ['api.anthropic.com', 'anthropic'],
  ['generativelanguage.googleapis.com', 'gcp.gemini'],
  ['aiplatform.googleapis.com', 'gcp.vertex_ai'],
  ['.amazonaws.com', 'aws.bedrock'],
  ['api.cohere.com', 'cohere'],
  ['api.deepseek.com', 'deepseek'],
  ['api.groq.com', 'groq'],
  ['api.mistral.ai', 'mistral_ai'],
  ['api.perplexity.ai', 'perplexity'],
  ['api.x.ai', 'x_ai'],
];

/** The host that is asked, and its provider: the upstream's own name if the conventions know none. */
function serverOf({ id, baseUrl }: Upstream): SpanAttributes {
  const { hostname } = new URL(baseUrl);
  const provider = PROVIDERS.find(([host]) => hostname.endsWith(host))?.[1] ?? id;
  return { 'gen_ai.provider.name': provider, 'server.address': hostname };
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
