import { ERROR_CODES, USAGE_OUTCOMES, type ErrorCode } from '@farebox/errors';

const CODES = ['ok', 'client_gone', ...(Object.keys(ERROR_CODES) as ErrorCode[])] as const;

/** The bound on a label's values if the code cannot list them. */
const closedBy = (what: string): { closedBy: string } => ({ closedBy: what });

/**
 * Every label and its possible values. A label's values are a closed set, since each one is a time series
 * that a process keeps forever. Never an id, a key, an address or anything else that a client chooses.
 */
export const LABELS = {
  method: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'other'],
  /** The route pattern, or `other` if none matches. */
  route: closedBy('the routes of the service'),
  /** The outcome that the client saw: `ok`, a public error code, or none if the client had left. */
  code: CODES,
  /** The public name. */
  model: closedBy('the catalogue'),
  upstream: closedBy('the catalogue'),
  /** The upstream's name. */
  upstream_model: closedBy('the catalogue'),
  direction: ['prompt', 'completion'],
  outcome: USAGE_OUTCOMES,
  result: [
    'answered',
    'left',
    'refused_request',
    'misconfigured',
    'unavailable',
    'garbage',
    'timeout',
    'circuit_open',
    'told_to_wait',
    'full',
  ],
  count_result: ['counted', 'late', 'crowded', 'failed'],
  /** The outcome of recording a request that cost nothing. */
  note_result: ['kept', 'over_pace', 'queue_full', 'failed'],
  queue: closedBy('the table of queues'),
  /** Not `job`, which Prometheus sets on each target. */
  job_name: closedBy('the table of jobs'),
  job_result: ['done', 'failed'],
  job_state: ['waiting', 'active', 'delayed', 'failed'],
  lease_state: ['live', 'lapsed'],
  /** The service whose login it is. */
  login_of: ['gateway', 'account', 'worker', 'operator'],
  reason: closedBy('the reasons of a review'),
  version: closedBy('the running code'),
  node: closedBy('the running Node.js'),
} as const satisfies Record<string, readonly string[] | { closedBy: string }>;

export type LabelName = keyof typeof LABELS;

export type LabelValue<Name extends LabelName> = (typeof LABELS)[Name] extends readonly (infer Value)[]
  ? Value
  : string;

/** The values of a metric's labels, in the order of their names. */
export type LabelValues<Names extends readonly LabelName[]> = {
  [Index in keyof Names]: LabelValue<Names[Index]>;
};
