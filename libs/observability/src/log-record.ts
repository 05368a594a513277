import { toErrorRecord, type ErrorRecord } from './error-record';
import { LOG_FIELDS, type FieldKind, type LogFields } from './log-fields';
import { scrub } from './scrub';

export type LogValue = string | number | boolean | null | ErrorRecord;

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
