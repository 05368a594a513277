/**
 * How an upstream failed, as far as the caller's answer depends on it. What it said goes to the log, never further.
 *
 * - `refused_request`: it calls the request itself wrong (400, 422). Another upstream would say the same.
 * - `misconfigured`: it does not know our secret or the model (401, 403, 404). An operator must look.
 * - `unavailable`: it refuses, is overloaded or failed (429, 5xx, no connection, a redirect).
 * - `garbage`: it answered something that is not an answer.
 * - `timeout`: it was silent for too long.
 * - `circuit_open`, `full`: it was not asked, since it is down or has as many calls as it may.
 */
export type UpstreamFailureKind =
  'refused_request' | 'misconfigured' | 'unavailable' | 'garbage' | 'timeout' | 'circuit_open' | 'full';

export interface UpstreamFailureDetails {
  status?: number;
  param?: string | undefined;
  retryAfterMs?: number;
  cause?: unknown;
}

export class UpstreamFailure extends Error {
  readonly kind: UpstreamFailureKind;
  readonly status: number | undefined;
  /** Which field of the request it calls wrong, in its own words. */
  readonly param: string | undefined;
  /** When it may be asked again, where that is known. */
  readonly retryAfterMs: number | undefined;

  constructor(kind: UpstreamFailureKind, details: UpstreamFailureDetails = {}) {
    super(`upstream failed: ${kind}`, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'UpstreamFailure';
    this.kind = kind;
    this.status = details.status;
    this.param = details.param;
    this.retryAfterMs = details.retryAfterMs;
  }
}

/** What a status that is not 200 says, with the body that came with it. */
export function failureOfStatus(status: number, body: string): UpstreamFailure {
  if (status === 400 || status === 422)
    return new UpstreamFailure('refused_request', { status, param: paramOf(body) });
  if (status === 401 || status === 403 || status === 404)
    return new UpstreamFailure('misconfigured', { status });
  return new UpstreamFailure('unavailable', { status });
}

function paramOf(body: string): string | undefined {
  try {
    const { error } = JSON.parse(body) as { error?: { param?: unknown } };
    return typeof error?.param === 'string' ? error.param : undefined;
  } catch {
    return undefined;
  }
}
