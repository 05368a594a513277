import type { SpeechChange } from './speech';

/**
 * How an upstream failed, as far as the response to the caller depends on it. The upstream's own text goes
 * only to the log.
 *
 * - `refused_request`: it rejects the request itself (400, 413, 422), or its filter does. Another upstream
 *   would too.
 * - `misconfigured`: it does not know our secret or the model, or wants payment (401, 402, 403, 404, or the
 *   same under another status). An operator must act.
 * - `unavailable`: it refuses, is overloaded or failed (429, 5xx, no connection, a redirect).
 * - `garbage`: its response is not a completion.
 * - `timeout`: it was silent for too long.
 * - `circuit_open`, `told_to_wait`, `full`: it was not asked, because it is down, asked to be left alone
 *   for a while, or has reached its limit of calls.
 */
export type UpstreamFailureKind =
  | 'refused_request'
  | 'misconfigured'
  | 'unavailable'
  | 'garbage'
  | 'timeout'
  | 'circuit_open'
  | 'told_to_wait'
  | 'full';

interface UpstreamFailureDetails {
  status?: number;
  param?: string | undefined;
  isOverContext?: boolean;
  isFiltered?: boolean;
  isUnreachable?: boolean;
  wasIdleBefore?: boolean;
  wants?: SpeechChange | undefined;
  retryAfterMs?: number | undefined;
  cause?: unknown;
}

export class UpstreamFailure extends Error {
  readonly kind: UpstreamFailureKind;
  readonly status: number | undefined;
  /** The field of the request that it rejects, in its own words. */
  readonly param: string | undefined;
  /** It says that prompt and output do not fit into the model's context window. */
  readonly isOverContext: boolean;
  /** Its filter, or that of its vendor, refuses the prompt. */
  readonly isFiltered: boolean;
  /** No connection to it could be made. */
  readonly isUnreachable: boolean;
  /**
   * Its connection had been idle, and was lost before any response. The server may have closed it before the request
   * came, and may not have seen it. Source: RFC 9112, 9.3.1 and 9.5.
   */
  readonly wasIdleBefore: boolean;
  /** The form of request that it wants, if it refused the request for that. */
  readonly wants: SpeechChange | undefined;
  /** When it may be asked again, if known. */
  readonly retryAfterMs: number | undefined;

  constructor(kind: UpstreamFailureKind, details: UpstreamFailureDetails = {}) {
    super(`upstream failed: ${kind}`, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'UpstreamFailure';
    this.kind = kind;
    this.status = details.status;
    this.param = details.param;
    this.isOverContext = details.isOverContext ?? false;
    this.isFiltered = details.isFiltered ?? false;
    this.isUnreachable = details.isUnreachable ?? false;
    this.wasIdleBefore = details.wasIdleBefore ?? false;
    this.wants = details.wants;
    this.retryAfterMs = details.retryAfterMs;
  }
}
