import { nameBrowserIn, type Language } from '@farebox/texts';
import { languageNow, t } from './language';

/**
 * Formats money, times and counts for people, as their language has them. Money stays text or `bigint`: it
 * never becomes a float.
 */

const NANO_DIGITS = 9;

/** `"-0.000010500"` as `-$0.0000105`: at least two places, or as many as given, without losing digits. */
export function toDollars(decimal: string, minPlaces = 2): string {
  const isNegative = decimal.startsWith('-');
  const [whole = '0', fraction = ''] = decimal.replace('-', '').split('.');
  return inDollars(isNegative, whole, fraction.replace(/0+$/, '').padEnd(minPlaces, '0'));
}

/** How many places some amounts need, at least two. */
export const placesOf = (decimals: readonly string[]): number =>
  decimals.reduce(
    (most, decimal) => Math.max(most, decimal.split('.')[1]?.replace(/0+$/, '').length ?? 0),
    2,
  );

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
  const isNegative = nano < 0n;
  if (cents === 0n && nano !== 0n) return `${isNegative ? '>' : '<'} ${inDollars(isNegative, '0', '01')}`;
  const text = cents.toString().padStart(3, '0');
  return inDollars(isNegative, text.slice(0, -2), text.slice(-2));
}

/** `-$1,234.50` or `-1.234,50 $`. */
function inDollars(isNegative: boolean, whole: string, places: string): string {
  const { group, point, before, after } = formats().dollars;
  const digits = whole.replaceAll(/\B(?=(\d{3})+$)/g, group) + (places && point + places);
  return `${isNegative ? '-' : ''}${before}${digits}${after}`;
}

/** An amount as a person types it: `5.00`, or `5,00`. */
export function toEntry(decimal: string): string {
  const [whole = '0', fraction = ''] = decimal.split('.');
  return whole + formats().dollars.point + fraction.replace(/0+$/, '').padEnd(2, '0');
}

/**
 * An entry in the API's form. The other language's decimal sign stays wrong: "1.000" is a thousand to some, and
 * one to others.
 */
export const fromEntry = (entry: string): string =>
  entry.replace(/[.,]/g, (sign) => (sign === formats().dollars.point ? '.' : ','));

/** For the `pattern` of a field: an amount with whole cents, or with any number of places. */
export const entryPattern = (places: '{2}' | '{1,9}'): string =>
  `\\d+([${formats().dollars.point}]\\d${places})?`;

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

export const toCount = (count: number): string => formats().count.format(count);
export const toShortCount = (count: number): string => formats().shortCount.format(count);

const MS_PER_SECOND = 1_000;
const NUMBERS: Readonly<Record<Language, string>> = { en: 'en-US', de: 'de-DE' };
/** For dates, if the reader's country has another language. */
const DATES: Readonly<Record<Language, string>> = { en: 'en-GB', de: 'de-DE' };

/** As the reader's country writes dates, if it has the language of the page. */
function localeOf(language: Language): string {
  const { locale } = new Intl.DateTimeFormat().resolvedOptions();
  return locale.split('-')[0] === language ? locale : DATES[language];
}

function createFormats(language: Language) {
  const [numbers, locale] = [NUMBERS[language], localeOf(language)];
  const time = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options);
  const shortDay = { day: 'numeric', month: 'short' } as const;
  const clock = { hour: '2-digit', minute: '2-digit' } as const;
  return {
    count: new Intl.NumberFormat(numbers),
    shortCount: new Intl.NumberFormat(numbers, {
      ...{ notation: 'compact', maximumFractionDigits: 1, useGrouping: true },
    }),
    seconds: new Intl.NumberFormat(numbers, {
      ...{ minimumFractionDigits: 1, maximumFractionDigits: 1, useGrouping: false },
    }),
    dollars: dollarsIn(numbers),
    time: time({ dateStyle: 'medium', timeStyle: 'medium' }),
    shortTime: time({ ...shortDay, ...clock, second: '2-digit' }),
    day: time({ dateStyle: 'medium' }),
    month: time({ month: 'long', year: 'numeric', timeZone: 'UTC' }),
    utcDay: time({ ...shortDay, timeZone: 'UTC' }),
    utcDayOfYear: time({ dateStyle: 'medium', timeZone: 'UTC' }),
    utcHour: time({ ...shortDay, ...clock, timeZone: 'UTC' }),
    relative: new Intl.RelativeTimeFormat(language, { numeric: 'auto' }),
  };
}

/** Around an amount and in it. */
function dollarsIn(locale: string) {
  const parts = new Intl.NumberFormat(locale, {
    ...{ style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' },
  }).formatToParts(1_000.5);
  const valueOf = (type: string): string => parts.find((part) => part.type === type)?.value ?? '';
  const whole = parts.findIndex(({ type }) => type === 'integer');
  const end = parts.findIndex(({ type }) => type === 'fraction') + 1;
  const textOf = (some: typeof parts): string => some.map(({ value }) => value).join('');
  return {
    group: valueOf('group'),
    point: valueOf('decimal'),
    before: textOf(parts.slice(0, whole)),
    after: textOf(parts.slice(end)),
  };
}

const MADE = new Map<Language, ReturnType<typeof createFormats>>();

/** Those of the language of the console. */
function formats(): ReturnType<typeof createFormats> {
  const language = languageNow();
  const made = MADE.get(language) ?? createFormats(language);
  MADE.set(language, made);
  return made;
}

/** `2026-10` as `October 2026`. */
export const toMonth = (month: string): string => formats().month.format(Date.parse(`${month}-01T00:00:00Z`));
/** Unix seconds in the reader's own time zone. */
export const toTime = (seconds: number): string => formats().time.format(seconds * MS_PER_SECOND);
export const toShortTime = (seconds: number): string => formats().shortTime.format(seconds * MS_PER_SECOND);
export const toDay = (seconds: number): string => formats().day.format(seconds * MS_PER_SECOND);
/** The start of a bucket of usage, in UTC, with its year if the chart has several. */
export function toBucketName(seconds: number, bucket: 'hour' | 'day', hasYears = false): string {
  const { utcHour, utcDayOfYear, utcDay } = formats();
  return (bucket === 'hour' ? utcHour : hasYears ? utcDayOfYear : utcDay).format(seconds * MS_PER_SECOND);
}

const utcYear = (seconds: number): number => new Date(seconds * MS_PER_SECOND).getUTCFullYear();

/** Whether buckets are of more than one year. */
export function haveYears(buckets: readonly { starts_at: number }[]): boolean {
  const [first, last] = [buckets[0], buckets.at(-1)];
  return first !== undefined && last !== undefined && utcYear(first.starts_at) !== utcYear(last.starts_at);
}

const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** `3 minutes ago`, `in 2 hours`. */
export function toRelativeTime(seconds: number, nowMs = Date.now()): string {
  const { relative } = formats();
  const distance = seconds - Math.floor(nowMs / MS_PER_SECOND);
  for (const [unit, length] of STEPS)
    if (Math.abs(distance) >= length) return relative.format(Math.round(distance / length), unit);
  return Math.abs(distance) < 10 ? t('just now') : relative.format(distance, 'second');
}

/** `850 ms`, `2.4 s`. */
export function toDuration(ms: number): string {
  return ms < MS_PER_SECOND ? `${ms.toString()} ms` : `${formats().seconds.format(ms / MS_PER_SECOND)} s`;
}

/** Tells keys of the same name apart. */
export const nameKey = ({ name, hint }: { name: string; hint: string }): string => `${name} (…${hint})`;

const MAX_CLIENT_LENGTH = 40;

/** The browser and its system, as the service names them. An unknown program is shown by its user agent. */
export function nameClient(client: { browser: string | null; user_agent: string | null }): string {
  if (client.browser === null) return client.user_agent?.slice(0, MAX_CLIENT_LENGTH) ?? t('Unknown');
  return nameBrowserIn({ t }, client.browser);
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
    if (action === 'create') return t('Signed in');
    if (action === 'revoke') return t('Signed out');
  }
  const verb = (credential === 'session' ? VERBS_OF_SESSIONS : VERBS)[action];
  const noun = credential === 'session' && name !== null ? 'Session of' : NOUNS[credential];
  return [t(noun), name, t(verb)].filter((word) => word !== null).join(' ');
}
