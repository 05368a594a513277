import type { SpeechChange } from './speech';

/**
 * How an upstream failed, as far as the response to the caller depends on it. What it said goes to the log, never further.
 *
 * - `refused_request`: it calls the request itself wrong (400, 413, 422), or its filter refuses it. Another upstream would
 *   say the same.
 * - `misconfigured`: it does not know our secret or the model, or wants to be paid (401, 402, 403, 404, and what says so
 *   under another status). An operator must look.
 * - `unavailable`: it refuses, is overloaded or failed (429, 5xx, no connection, a redirect).
 * - `garbage`: its response is not a completion.
 * - `timeout`: it was silent for too long.
 * - `circuit_open`, `told_to_wait`, `full`: it was not asked, since it is down, asked to be left alone for a while, or has
 *   as many calls as it may.
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
  wants?: SpeechChange | undefined;
  retryAfterMs?: number | undefined;
  cause?: unknown;
}

export class UpstreamFailure extends Error {
  readonly kind: UpstreamFailureKind;
  readonly status: number | undefined;
  /** Which field of the request it calls wrong, in its own words. */
  readonly param: string | undefined;
  /** It says that prompt and output do not fit into the model's context window. */
  readonly isOverContext: boolean;
  /** Its filter, or that of its vendor, refuses the prompt. */
  readonly isFiltered: boolean;
  /** There was no connection over which it could be asked. */
  readonly isUnreachable: boolean;
  /** How it wants to be spoken to, if that is what it refused the request for. */
  readonly wants: SpeechChange | undefined;
  /** When it may be asked again, if that is known. */
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
    this.wants = details.wants;
    this.retryAfterMs = details.retryAfterMs;
  }
}
