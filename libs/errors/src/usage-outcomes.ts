/**
 * How a charged request ended. `client_gone`: the client closed the connection. `upstream_failed`, `upstream_timeout`: the
 * stream broke off, or stood still, after something had been delivered. `shutdown`: the process had to end.
 * Source: docs/contract.md. The type `usage_outcome` of the database has the same words.
 */
export const USAGE_OUTCOMES = [
  'completed',
  'client_gone',
  'upstream_failed',
  'upstream_timeout',
  'shutdown',
] as const;

export type UsageOutcome = (typeof USAGE_OUTCOMES)[number];

/**
 * How a request ended that cost nothing. `refused`: it met no condition and did not run. `failed`: it could not be
 * answered, or its client had gone, before anything was delivered. The type `uncharged_outcome` of the database has the
 * same words.
 */
export const UNCHARGED_OUTCOMES = ['failed', 'refused'] as const;

export type UnchargedOutcome = (typeof UNCHARGED_OUTCOMES)[number];
