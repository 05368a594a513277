/** Formats money, times and counts for people. Money stays text or `bigint`: it never becomes a float. */

const NANO_DIGITS = 9;

/** `"-0.000010500"` as `-$0.0000105`: at least two places, or as many as given, without losing digits. */
export function toDollars(decimal: string, minPlaces = 2): string {
  const isNegative = decimal.startsWith('-');
  const [whole = '0', fraction = ''] = decimal.replace('-', '').split('.');
  const places = fraction.replace(/0+$/, '').padEnd(minPlaces, '0');
  return `${isNegative ? '-' : ''}$${groupThousands(whole)}.${places}`;
}

const NANO_PER_CENT = 10_000_000n;

/**
 * For a headline: cents, and `< $0.01` for less than one. Cut, for what is left: it never promises more than
 * there is.
 */
export const toShortDollars = (decimal: string): string => toCents(decimal, 0n);

/** The same for what is gone: rounded half up. */
export const toSpentDollars = (decimal: string): string => toCents(decimal, NANO_PER_CENT / 2n);

function toCents(decimal: string, addedNano: bigint): string {
  const nano = toNano(decimal);
  const cents = ((nano < 0n ? -nano : nano) + addedNano) / NANO_PER_CENT;
  if (cents === 0n && nano !== 0n) return nano < 0n ? '> -$0.01' : '< $0.01';
  const text = cents.toString().padStart(3, '0');
  return `${nano < 0n ? '-' : ''}$${groupThousands(text.slice(0, -2))}.${text.slice(-2)}`;
}

/** Dollars of the API in billionths. */
export function toNano(decimal: string): bigint {
  const isNegative = decimal.startsWith('-');
  const [whole = '0', fraction = ''] = decimal.replace('-', '').split('.');
  const nano = BigInt(whole + fraction.padEnd(NANO_DIGITS, '0').slice(0, NANO_DIGITS));
  return isNegative ? -nano : nano;
}

/** The inverse of `toNano`, in the API's form. */
export function fromNano(nano: bigint): string {
  const digits = (nano < 0n ? -nano : nano).toString().padStart(NANO_DIGITS + 1, '0');
  return `${nano < 0n ? '-' : ''}${digits.slice(0, -NANO_DIGITS)}.${digits.slice(-NANO_DIGITS)}`;
}

/** The share of a whole in per cent, to a tenth: for bars, where a float does no harm. */
export function shareOf(part: string, whole: string): number {
  const all = toNano(whole);
  return all === 0n ? 0 : Number((toNano(part) * 1_000n) / all) / 10;
}

function groupThousands(digits: string): string {
  return digits.replaceAll(/\B(?=(\d{3})+$)/g, ',');
}

const COUNT = new Intl.NumberFormat('en-US');
const SHORT_COUNT = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });

export const toCount = (count: number): string => COUNT.format(count);
export const toShortCount = (count: number): string => SHORT_COUNT.format(count);

const MS_PER_SECOND = 1_000;
/** The pages are in English: so are their dates, in the form of the reader's country if that is English, too. */
const LOCALE =
  [new Intl.DateTimeFormat().resolvedOptions().locale].find((tag) => /^en\b/.test(tag)) ?? 'en-GB';
const TIME = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'medium' });
const SHORT_TIME = new Intl.DateTimeFormat(LOCALE, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});
const DAY = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium' });
const MONTH = new Intl.DateTimeFormat(LOCALE, { month: 'long', year: 'numeric', timeZone: 'UTC' });
const UTC_DAY = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const UTC_DAY_OF_YEAR = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeZone: 'UTC' });
const UTC_HOUR = new Intl.DateTimeFormat(LOCALE, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
});

/** `2026-10` as `October 2026`. */
export const toMonth = (month: string): string => MONTH.format(Date.parse(`${month}-01T00:00:00Z`));
/** Unix seconds in the reader's own time zone. */
export const toTime = (seconds: number): string => TIME.format(seconds * MS_PER_SECOND);
export const toShortTime = (seconds: number): string => SHORT_TIME.format(seconds * MS_PER_SECOND);
export const toDay = (seconds: number): string => DAY.format(seconds * MS_PER_SECOND);
/** The start of a bucket of usage, in UTC, with its year if the chart has several. */
export const toBucketName = (seconds: number, bucket: 'hour' | 'day', hasYears = false): string =>
  (bucket === 'hour' ? UTC_HOUR : hasYears ? UTC_DAY_OF_YEAR : UTC_DAY).format(seconds * MS_PER_SECOND);

const utcYear = (seconds: number): number => new Date(seconds * MS_PER_SECOND).getUTCFullYear();

/** Whether buckets are of more than one year. */
export function haveYears(buckets: readonly { starts_at: number }[]): boolean {
  const [first, last] = [buckets[0], buckets.at(-1)];
  return first !== undefined && last !== undefined && utcYear(first.starts_at) !== utcYear(last.starts_at);
}

const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** `3 minutes ago`, `in 2 hours`. */
export function toRelativeTime(seconds: number, nowMs = Date.now()): string {
  const distance = seconds - Math.floor(nowMs / MS_PER_SECOND);
  for (const [unit, length] of STEPS)
    if (Math.abs(distance) >= length) return RELATIVE.format(Math.round(distance / length), unit);
  return Math.abs(distance) < 10 ? 'just now' : RELATIVE.format(distance, 'second');
}

/** `850 ms`, `2.4 s`. */
export function toDuration(ms: number): string {
  return ms < MS_PER_SECOND ? `${ms.toString()} ms` : `${(ms / MS_PER_SECOND).toFixed(1)} s`;
}

/** Tells keys of the same name apart. */
export const nameKey = ({ name, hint }: { name: string; hint: string }): string => `${name} (…${hint})`;

const MAX_CLIENT_LENGTH = 40;

/** The browser and its system, as the service names them. An unknown program is shown by its user agent. */
export function nameClient(client: { browser: string | null; user_agent: string | null }): string {
  return client.browser ?? client.user_agent?.slice(0, MAX_CLIENT_LENGTH) ?? 'Unknown';
}

const NOUNS = { api_key: 'API key', device: 'Device', session: 'Session', account: 'Account' } as const;
const VERBS = { create: 'created', change: 'changed', rotate: 'rotated', revoke: 'revoked' } as const;
const VERBS_OF_SESSIONS = { ...VERBS, create: 'started', revoke: 'ended' } as const;

interface NamedEvent {
  credential: keyof typeof NOUNS;
  credential_id: string;
  action: keyof typeof VERBS;
  actor_id: string | null;
  name: string | null;
}

/** `API key laptop created`, `Signed in`. */
export function nameEvent({ credential, credential_id, action, actor_id, name }: NamedEvent): string {
  if (credential === 'session' && credential_id === actor_id) {
    if (action === 'create') return 'Signed in';
    if (action === 'revoke') return 'Signed out';
  }
  const verb = (credential === 'session' ? VERBS_OF_SESSIONS : VERBS)[action];
  const noun = credential === 'session' && name !== null ? 'Session of' : NOUNS[credential];
  return [noun, name, verb].filter((word) => word !== null).join(' ');
}
