import { byTokenColumn } from '@farebox/money';
import { type ErrorRecord, scrub, toErrorRecord } from './scrub';

/**
 * Every field that a log record may carry, and its kind. The set is closed: a field that is not listed, or a
 * value of another kind, is dropped before it is written, so that no header, prompt or secret reaches a log
 * by accident. Add a field here when an operator needs it, never one for customer content or a credential.
 */
const LOG_FIELDS = {
  /** The event in snake_case, for machines: `ready`, `request_completed`. */
  event: 'text',
  request_id: 'text',
  account_id: 'text',
  /** The public id of an API key, never the key. */
  api_key_id: 'text',
  device_id: 'text',
  hold_id: 'text',
  review_id: 'text',
  transaction_id: 'text',
  /** The payment provider's id, which an operator can look up there. */
  payment_event_id: 'text',
  payment_event_type: 'text',
  /** An automatic top-up: the id of its checkout. */
  top_up_id: 'text',
  upstream_id: 'text',
  /** The upstream's name of the model, which customers never see. */
  upstream_model: 'text',
  upstream_status: 'number',
  model: 'text',
  /** The route pattern, not the requested path. */
  route: 'text',
  method: 'text',
  status: 'number',
  /** The precondition that the request failed. */
  refused_by: 'text',
  /** The public error code. */
  code: 'text',
  outcome: 'text',
  reason: 'text',
  error: 'error',
  duration_ms: 'number',
  first_token_ms: 'number',
  wait_ms: 'number',
  /** After the time that something was scheduled for. */
  late_seconds: 'number',
  attempt: 'number',
  count: 'number',
  stream: 'flag',
  prompt_tokens: 'number',
  completion_tokens: 'number',
  /** Part of the prompt tokens, if the upstream reported it. */
  ...byTokenColumn(() => 'number' as const),
  /** Images of the prompt. */
  images: 'number',
  /** The tokens were counted here, not reported by the upstream. */
  estimated: 'flag',
  amount_nano: 'amount',
  held_nano: 'amount',
  /** Roots of the ledger that were signed. */
  signed: 'number',
  /** The month of invoices: `2026-10`. */
  month: 'text',
  /** Accounts whose invoices wait for running requests. */
  postponed: 'number',
  /** The check of the books that found a difference, and the difference: ids and amounts. */
  check: 'text',
  difference: 'text',
  /** A partition of a growing table: `usage_record_2027_03`. */
  partition: 'text',
  queue: 'text',
  job: 'text',
  job_id: 'text',
  /** The kind of mail: `sign_in`. */
  mail_kind: 'text',
  webhook_id: 'text',
  /** The deliveries of an event, at all its endpoints. */
  message_id: 'text',
  instance_id: 'text',
  version: 'text',
  signal: 'text',
  /** A sign-in link. In development only, where it is logged instead of mailed. */
  sign_in_link: 'link',
  /** The database login of a service. */
  login: 'text',
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
  /** Written unchanged if it is plain http on this machine, otherwise dropped. */
  link: string;
  /** Any thrown value. Its name, code, message, stack and causes are written, scrubbed. */
  error: unknown;
}

type LogField = keyof typeof LOG_FIELDS;

/** The fields of one log record, or of every record of a child logger. */
export type LogFields = {
  readonly [Field in LogField]?: FieldValues[(typeof LOG_FIELDS)[Field]] | undefined;
};

type LogValue = string | number | boolean | null | ErrorRecord;

const LONGEST_TEXT = 256;
/** Keeps links that work for anyone but the developer out of the logs. */
const LINK_ON_THIS_MACHINE =
  /^http:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?\/[\w./-]{1,200}$/;
const WHOLE_NUMBER = /^-?\d{1,40}$/;

/** The written form of a value of each kind; `undefined` if the value is of another kind. */
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

/** The allowed fields in their written form. Everything else is dropped. */
export function toLogRecord(fields: LogFields): Record<string, LogValue> {
  const record: Record<string, LogValue> = {};
  for (const key of Object.keys(fields)) {
    const value = WRITERS.get(key)?.(fields[key as keyof LogFields]);
    if (value !== undefined) record[key] = value;
  }
  return record;
}

/** A message for people. It is normally a constant; it is scrubbed in case it is not. */
export function toLogMessage(message: string): string {
  return scrub(message, LONGEST_TEXT);
}
