import { COUNTS, TO_MINUTES, TO_SECONDS } from './buckets';
import type { MetricDefinition } from './definition';

/** Counted when the charge is recorded: what was released or went into review is in none of these. */
const CHARGES = {
  farebox_charged_dollars_total: {
    type: 'counter',
    help: 'US dollars charged. A float, for graphs and alerts alone: the ledger is the truth.',
    labels: ['model'],
    writers: ['gateway'],
  },
  farebox_charges_total: {
    type: 'counter',
    help: 'Charges recorded, by how the request ended.',
    labels: ['model', 'outcome'],
    writers: ['gateway'],
  },
  farebox_charges_unrecorded_total: {
    type: 'counter',
    help: 'Charges that could not be recorded when the answer was ready: each becomes a review.',
    labels: [],
    writers: ['gateway'],
  },
  farebox_tokens_total: {
    type: 'counter',
    help: 'Tokens charged.',
    labels: ['model', 'direction'],
    writers: ['gateway'],
  },
  farebox_first_token_seconds: {
    type: 'histogram',
    help: 'From the request to the first text of a streamed answer.',
    labels: ['model'],
    writers: ['gateway'],
    buckets: TO_MINUTES,
  },
} as const satisfies Record<string, MetricDefinition>;

const UPSTREAMS = {
  farebox_upstream_calls_total: {
    type: 'counter',
    help: 'Calls to a model of an upstream that are over, by how. Those left alone by the breaker were not sent.',
    labels: ['upstream', 'upstream_model', 'result'],
    writers: ['gateway'],
  },
  farebox_upstream_circuit_open: {
    type: 'gauge',
    help: '1 while a model of an upstream is left alone after failures, until a probe is answered.',
    labels: ['upstream', 'upstream_model'],
    writers: ['gateway'],
  },
} as const satisfies Record<string, MetricDefinition>;

const LEDGER = {
  farebox_ledger_batch_items: {
    type: 'histogram',
    help: 'Holds, charges and releases that went to PostgreSQL in one call.',
    labels: [],
    writers: ['gateway'],
    buckets: COUNTS,
  },
  farebox_ledger_batch_duration_seconds: {
    type: 'histogram',
    help: 'From the leaving of a call of the ledger to its answer.',
    labels: [],
    writers: ['gateway'],
    buckets: TO_SECONDS,
  },
  farebox_ledger_batch_wait_seconds: {
    type: 'histogram',
    help: 'How long the item of a call that waited longest had waited when the call left.',
    labels: [],
    writers: ['gateway'],
    buckets: TO_SECONDS,
  },
  farebox_ledger_contended_total: {
    type: 'counter',
    help: 'Holds, charges and releases that a call left for later: something else had locked their account.',
    labels: [],
    writers: ['gateway'],
  },
  farebox_ledger_connected: {
    type: 'gauge',
    help: "1 while the ledger can be asked and this gateway's lease is live.",
    labels: [],
    writers: ['gateway'],
  },
  farebox_lease_failures_total: {
    type: 'counter',
    help: "Renewals of this gateway's lease that failed.",
    labels: [],
    writers: ['gateway'],
  },
} as const satisfies Record<string, MetricDefinition>;

const TOKEN_COUNTS = {
  farebox_token_counts_total: {
    type: 'counter',
    help: 'Counts of tokens by the gateway itself, by how they ended: all others than "counted" went by bytes.',
    labels: ['count_result'],
    writers: ['gateway'],
  },
  farebox_token_count_duration_seconds: {
    type: 'histogram',
    help: 'From the asking for a count of tokens to its end, the turns of others included.',
    labels: [],
    writers: ['gateway'],
    buckets: TO_SECONDS,
  },
} as const satisfies Record<string, MetricDefinition>;

const LIMITER = {
  farebox_limiter_stand_in: {
    type: 'gauge',
    help: '1 while the request limit is held by this process alone, since Redis cannot or is not set.',
    labels: [],
    writers: ['gateway'],
  },
  farebox_limiter_memory_lost_total: {
    type: 'counter',
    help: 'How often Redis had forgotten the requests of the window.',
    labels: [],
    writers: ['gateway'],
  },
} as const satisfies Record<string, MetricDefinition>;

/** What a gateway measures beside its requests. */
export const GATEWAY_METRICS = {
  ...CHARGES,
  ...UPSTREAMS,
  ...LEDGER,
  ...TOKEN_COUNTS,
  ...LIMITER,
  farebox_catalog_version: {
    type: 'gauge',
    help: 'The version of the catalogue that is served.',
    labels: [],
    writers: ['gateway'],
  },
} as const satisfies Record<string, MetricDefinition>;
