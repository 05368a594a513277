import { toDollars } from '@farebox/ui/format';

/** A record of a report, as the API has it. */
export type Row = Readonly<Record<string, unknown>>;

/** Fields that say the same in each row, or that another field says better. */
const HIDDEN = new Set(['currency', 'object']);
const NAMES: Readonly<Record<string, string>> = {
  at: 'When',
  account_id: 'Account',
  key_public_id: 'API key',
  key_name: 'API key',
  p95_ms: '95th percentile',
  median_ms: 'Median',
  median_first_token_ms: 'First token, median',
  p95_first_token_ms: 'First token, 95th percentile',
  email: 'E-mail',
  billing_email: 'E-mail',
  tax_id: 'Tax number',
  hint: 'Ends in',
  invite_status: 'Status',
  max_attempts: 'Of attempts',
  user_agent: 'Client',
  credential_id: 'Id',
  event_types: 'Events',
  disabled_reason: 'Disabled by',
  consecutive_failures: 'Failures in a row',
  last_success_at: 'Last success',
  response_status: 'Last status',
  secret_not_set: 'Secret that is not set',
};

/** A field for a person: `created_at` is "Created", `request_id` is "Request". */
export function nameOfField(field: string): string {
  const words = NAMES[field] ?? field.replace(/_(?:at|id)$/, '').replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const DECIMAL = /^-?\d+\.\d{9}$/;
/** The API's form of an amount of dollars. */
export const isAmount = (value: unknown): value is string => typeof value === 'string' && DECIMAL.test(value);

const TIME = /^(?:at|since|until|.+_at)$/;
export const isTime = (field: string, value: unknown): value is number =>
  typeof value === 'number' && TIME.test(field);

/** A price of the catalogue, as it is written there. */
export const isPrice = (field: string, value: unknown): value is string =>
  field.endsWith('_price') && typeof value === 'string' && /^\d+(?:\.\d+)?$/.test(value);

/** Whether a column has numbers, which stand at its right. */
export const isNumeric = (field: string, value: unknown): boolean =>
  field.endsWith('_ms') ||
  isAmount(value) ||
  isPrice(field, value) ||
  (typeof value === 'number' && !isTime(field, value));

/** The fields of records, in the order of the first one that has them. A customer's address says their id as well. */
export function fieldsOfRows(rows: readonly Row[], hidden: readonly string[] = []): string[] {
  const fields = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const hasEmail = fields.includes('email') && fields.includes('account_id');
  return fields.filter(
    (field) => !HIDDEN.has(field) && !hidden.includes(field) && !(hasEmail && field === 'account_id'),
  );
}

/** A value that is neither a text nor a number: names and values of an object, or the items of a list. */
export function describeValue(value: unknown): string {
  if (value === null || value === undefined || value === '') return '–';
  if (isAmount(value)) return toDollars(value);
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(describeValue).join(', ');
  if (typeof value === 'object')
    return Object.entries(value)
      .filter(([, one]) => one !== null)
      .map(([name, one]) => `${name.replaceAll('_', ' ')} ${describeValue(one)}`)
      .join(', ');
  return JSON.stringify(value);
}

/**
 * Tells the rows of a list apart, by the id that it continues after: a row whose values change stays the same row, and a
 * dialog that was opened from it stays open. Rows without an id differ by their values.
 */
export function keysOf(rows: readonly Row[], lastId: string | null | undefined): (row: Row) => string {
  const last = rows.at(-1);
  const field = last && lastId ? Object.keys(last).find((name) => last[name] === lastId) : undefined;
  return (row) => (field === undefined ? JSON.stringify(row) : String(row[field]));
}
