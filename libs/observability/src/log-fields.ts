import { type ErrorRecord, scrub, toErrorRecord } from './scrub';

/**
 * Everything that a log record may carry, and of what kind. The set is closed: a key that is not here, or a value of
 * another kind, is dropped before it is written, so that no header, prompt or secret reaches a log by accident.
 * Add a field here when an operator needs it, never one that holds what a customer wrote or a credential.
 */
const LOG_FIELDS = {
  /** What happened, in snake_case, for machines: `ready`, `request_completed`. */
  event: 'text',
  request_id: 'text',
  account_id: 'text',
  /** The public id of an API key, never the key. */
  api_key_id: 'text',
  device_id: 'text',
  hold_id: 'text',
  review_id: 'text',
  transaction_id: 'text',
  /** As the payment provider names it: what an operator looks up there. */
  payment_event_id: 'text',
  payment_event_type: 'text',
  upstream_id: 'text',
  /** Its own name of a model, which customers do not see. */
  upstream_model: 'text',
  upstream_status: 'number',
  model: 'text',
  /** The pattern of the route, not the path that was asked for. */
  route: 'text',
  method: 'text',
  status: 'number',
  /** The precondition that the request did not meet. */
  refused_by: 'text',
  /** The public error code. */
  code: 'text',
  outcome: 'text',
  reason: 'text',
  error: 'error',
  duration_ms: 'number',
  first_token_ms: 'number',
  wait_ms: 'number',
  attempt: 'number',
  count: 'number',
  stream: 'flag',
  prompt_tokens: 'number',
  completion_tokens: 'number',
  /** Of those, as far as the upstream told. */
  cached_tokens: 'number',
  cache_write_tokens: 'number',
  reasoning_tokens: 'number',
  /** Of the prompt. */
  images: 'number',
  /** The tokens were counted here, not reported by the upstream. */
  estimated: 'flag',
  amount_nano: 'amount',
  held_nano: 'amount',
  /** Of invoices: `2026-10`. */
  month: 'text',
  /** Accounts whose invoices wait for requests under way. */
  postponed: 'number',
  /** Which check of the books found a difference, and which: ids and amounts. */
  check: 'text',
  difference: 'text',
  /** Of a table that grows: `usage_record_2027_03`. */
  partition: 'text',
  queue: 'text',
  job: 'text',
  job_id: 'text',
  /** What a mail is about: `sign_in`. */
  mail_kind: 'text',
  instance_id: 'text',
  version: 'text',
  signal: 'text',
  /** A link that signs somebody in: in development alone, where it is shown in place of being mailed. */
  sign_in_link: 'link',
  /** The address that the process itself listens on. */
  host: 'text',
  port: 'number',
} as const satisfies Record<string, FieldKind>;

type FieldKind = 'text' | 'number' | 'flag' | 'amount' | 'link' | 'error';

interface FieldValues {
  text: string | null;
  number: number | bigint;
  flag: boolean;
  /** Nano-dollars. Written as a string: JSON readers lose whole numbers over 2^53. */
  amount: bigint | string;
  /** Written as it is, if it is plain http on this machine. Anything else is not written. */
  link: string;
  /** Anything that was thrown. Its name, code, message, stack and causes are written, scrubbed. */
  error: unknown;
}

type LogField = keyof typeof LOG_FIELDS;

/** The fields of one log record, or of every record of a child logger. */
export type LogFields = {
  readonly [Field in LogField]?: FieldValues[(typeof LOG_FIELDS)[Field]] | undefined;
};

type LogValue = string | number | boolean | null | ErrorRecord;

const LONGEST_TEXT = 256;
/** So that a link that works for anybody but the developer cannot come into a log. */
const LINK_ON_THIS_MACHINE =
  /^http:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?\/[\w./-]{1,200}$/;
const WHOLE_NUMBER = /^-?\d{1,40}$/;

/** What is written for a value of each kind; `undefined` for a value of another kind. */
const WRITE: Record<FieldKind, (value: unknown) => LogValue | undefined> = {
  text: (value) =>
    typeof value === 'string' ? scrub(value, LONGEST_TEXT) : value === null ? null : undefined,
  number: (value) =>
    typeof value === 'number' ? value : typeof value === 'bigint' ? value.toString() : undefined,
  flag: (value) => (typeof value === 'boolean' ? value : undefined),
  amount: (value) => {
    if (typeof value === 'bigint') return value.toString();
    return typeof value === 'string' && WHOLE_NUMBER.test(value) ? value : undefined;
  },
  link: (value) => (typeof value === 'string' && LINK_ON_THIS_MACHINE.test(value) ? value : undefined),
  error: (value) => (value === undefined ? undefined : toErrorRecord(value)),
};

/** A map, not an object: `constructor` and `__proto__` must not be found. */
const WRITERS = new Map(Object.entries(LOG_FIELDS).map(([field, kind]) => [field, WRITE[kind]]));

/** The fields that may be written, as they are written. All else is left out. */
export function toLogRecord(fields: LogFields): Record<string, LogValue> {
  const record: Record<string, LogValue> = {};
  for (const key of Object.keys(fields)) {
    const value = WRITERS.get(key)?.(fields[key as keyof LogFields]);
    if (value !== undefined) record[key] = value;
  }
  return record;
}

/** A message for a person. It is a constant as a rule; it is scrubbed because it may not be. */
export function toLogMessage(message: string): string {
  return scrub(message, LONGEST_TEXT);
}
