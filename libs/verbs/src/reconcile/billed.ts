import { scaleDecimal } from '@farebox/money';

/** Amounts of bills have more than nine decimal places: 10^-18 dollars. */
export const BILL_PLACES = 18;

/** The counts in a line of a bill; a missing one is not in the export. */
export interface BilledCounts {
  requests?: number | undefined;
  /** Including tokens read from and written to a cache. */
  promptTokens?: number | undefined;
  cachedTokens?: number | undefined;
  cacheWriteTokens?: number | undefined;
  /** Including reasoning tokens. */
  completionTokens?: number | undefined;
  /** In 10^-18 dollars. */
  cost?: bigint | undefined;
}

/** A line of a provider's export. */
export interface BilledLine extends BilledCounts {
  /** A UTC day: `2026-10-05`. */
  day: string;
  /** The provider's name of the model. */
  model: string;
  /** The provider's id or name of the API key, resource or project; undefined if the export names none. */
  key?: string | undefined;
  /** The upstream, in a file of our own format. */
  upstream?: string | undefined;
}

/** A line of a bill that cannot be read. The message says why, in a clause. */
export class BillError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'BillError';
  }
}

/** A field of a record, as text; undefined if it is missing or empty. */
export type Field = (name: string) => string | undefined;

export function requireField(field: Field, name: string): string {
  const text = field(name);
  if (text === undefined) throw new BillError(`${name} is missing`);
  return text;
}

/** Throws `BillError` for anything but a whole number. */
export function readCount(field: Field, name: string): number | undefined {
  const text = field(name);
  if (text === undefined) return undefined;
  const scaled = scaleDecimal(text, 0);
  if (!scaled?.isExact || scaled.units < 0n || scaled.units > BigInt(Number.MAX_SAFE_INTEGER))
    throw new BillError(`${name} is not a whole number: ${text}`);
  return Number(scaled.units);
}

/** An amount of dollars; `places` fewer if it is in cents. Throws `BillError`. */
export function readAmount(field: Field, name: string, places = BILL_PLACES): bigint | undefined {
  const text = field(name);
  if (text === undefined) return undefined;
  const scaled = scaleDecimal(text, places);
  if (!scaled) throw new BillError(`${name} is not a number: ${text}`);
  return scaled.units;
}

/** Throws `BillError` for another currency: nothing here knows its rate. */
export function requireDollars(field: Field, name: string): void {
  const currency = field(name);
  if (currency !== undefined && currency.toUpperCase() !== 'USD')
    throw new BillError(`${name} is ${currency}: only dollars can be compared`);
}

/** The sum of counts of which one at least is given. */
export function plus(...counts: (number | undefined)[]): number | undefined {
  const given = counts.filter((count) => count !== undefined);
  return given.length === 0 ? undefined : given.reduce((sum, count) => sum + count, 0);
}

/** The UTC day of an ISO 8601 time or a date; a time without a zone is in UTC. Throws `BillError`. */
export function readDay(field: Field, name: string): string {
  const text = requireField(field, name);
  const [, date, time = ''] = /^(\d{4}-\d{2}-\d{2})(?:[T ](.+))?$/.exec(text) ?? [];
  const american = /^(\d{2})\/(\d{2})\/(\d{4})$/.exec(text);
  const iso = american ? `${american[3] ?? ''}-${american[1] ?? ''}-${american[2] ?? ''}` : date;
  const zoned = time === '' ? 'T00:00:00Z' : `T${time}${/(?:Z|[+-]\d{2}:?\d{2})$/i.test(time) ? '' : 'Z'}`;
  const at = new Date(
    `${iso ?? ''}${zoned.replace(/ ?([+-]\d{2}):?(\d{2})$/, '$1:$2').replace(/ UTC$/i, '')}`,
  );
  if (Number.isNaN(at.getTime())) throw new BillError(`${name} is not a day: ${text}`);
  return at.toISOString().slice(0, 10);
}

/** The UTC day of Unix seconds. Throws `BillError`. */
export function readUnixDay(field: Field, name: string): string {
  const seconds = readCount(field, name);
  if (seconds === undefined) throw new BillError(`${name} is missing`);
  const at = new Date(seconds * 1_000);
  if (Number.isNaN(at.getTime())) throw new BillError(`${name} is not a time: ${String(seconds)}`);
  return at.toISOString().slice(0, 10);
}
