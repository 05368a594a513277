import type { LabelValue, Histogram, Metrics } from '@farebox/observability';
import type { AnswerCode } from './answered-code';

type Method = LabelValue<'method'>;

/** Measures the requests of a service. */
export interface RequestMeter {
  begun(): void;
  /** `route`: the pattern, never the path that was asked for. */
  ended(method: string | undefined, route: string, code: AnswerCode, durationMs: number): void;
}

/** Methods that have a name of their own in the metrics. A client can send many more. */
const METHODS = new Set<string>([
  'GET',
  'POST',
  'PATCH',
  'PUT',
  'DELETE',
  'HEAD',
  'OPTIONS',
] satisfies Method[]);

export function createRequestMeter(metrics: Metrics): RequestMeter {
  const byRoute = new Map<string, Map<string, Map<AnswerCode, Histogram>>>();
  const running = metrics.gauge('farebox_http_requests_running');
  let requests = 0;
  metrics.beforeScrape(() => {
    running.set(requests);
  });

  function histogramOf(route: string, method: string, code: AnswerCode): Histogram {
    const byMethod = getOrAdd(byRoute, route, () => new Map<string, Map<AnswerCode, Histogram>>());
    const byCode = getOrAdd(byMethod, method, () => new Map<AnswerCode, Histogram>());
    return getOrAdd(byCode, code, () => {
      const of = (one: AnswerCode): Histogram =>
        metrics.histogram('farebox_http_request_duration_seconds', method as Method, route, one);
      // There before it is needed: an alert sees no growth in a series that begins with 1.
      of('internal_error');
      return of(code);
    });
  }

  return {
    begun() {
      requests++;
    },
    ended(method = '', route, code, durationMs) {
      requests--;
      histogramOf(route, METHODS.has(method) ? method : 'other', code).observe(durationMs / 1_000);
    },
  };
}

function getOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const value = create();
  map.set(key, value);
  return value;
}
