import { fromDecimalUsd, type NanoUsd } from '@farebox/money';
import { z } from 'zod';

/** The last second of the year 9999. */
const LATEST_SECONDS = 253_402_300_799;
const TIME_MESSAGE = 'must be a time in whole Unix seconds';

/** A time on the wire: whole Unix seconds. */
export const unixSeconds = z.int(TIME_MESSAGE).min(0, TIME_MESSAGE).max(LATEST_SECONDS, TIME_MESSAGE);

/** A time that a client sends, read into a `Date`. */
export function timeFromUnixSeconds() {
  return unixSeconds.transform(fromUnixSeconds);
}

export function fromUnixSeconds(seconds: number): Date {
  return new Date(seconds * 1_000);
}

/** Rounded down to the second. */
export function toUnixSeconds(time: Date): number {
  return Math.floor(time.getTime() / 1_000);
}

const FILTER_MESSAGE =
  'must be a time in whole Unix seconds or ISO 8601 with a time zone, like 1800000000 or 2027-01-15T08:00:00Z';
const ISO_8601 = z.union([z.iso.datetime({ offset: true }), z.iso.date()]);

/** A time in a query: Unix seconds, or ISO 8601 with its time zone; a day alone is its beginning in UTC. */
export function timeFilter() {
  return z
    .string(FILTER_MESSAGE)
    .describe('Unix seconds, or ISO 8601 with a time zone.')
    .transform((text, context): Date => {
      const time = readTime(text);
      if (time !== undefined) return time;
      context.addIssue({ code: 'custom', message: FILTER_MESSAGE });
      return z.NEVER;
    });
}

function readTime(text: string): Date | undefined {
  if (/^\d{1,12}$/.test(text)) {
    const seconds = unixSeconds.safeParse(Number(text));
    return seconds.success ? fromUnixSeconds(seconds.data) : undefined;
  }
  const time = ISO_8601.safeParse(text).success ? new Date(text) : undefined;
  return time !== undefined && unixSeconds.safeParse(toUnixSeconds(time)).success ? time : undefined;
}

/** Query parameters of what can be asked for by time: from `start` on, until before `end`. */
export const timeRangeParameters = { start: timeFilter().optional(), end: timeFilter().optional() };

/** For `.refine`: an end comes after its start. */
export const endAfterStart: [
  isSo: (range: { start?: Date | undefined; end?: Date | undefined }) => boolean,
  issue: { path: string[]; message: string },
] = [
  ({ start, end }) => start === undefined || end === undefined || start.getTime() < end.getTime(),
  { path: ['end'], message: 'must be later than start' },
];

/** Money on the wire: dollars with nine decimal places, `"0.000010500"`. */
export const usdAmount = z
  .string()
  .regex(/^-?\d{1,10}\.\d{9}$/)
  .describe('US dollars, with nine decimal places.');

/** The currency of every amount. */
export const currency = z.literal('usd');

const AMOUNT_MESSAGE =
  'must be an amount in dollars above zero, written as a string with at most nine decimal places, like "5.00"';

/** What the OpenAPI document says of an amount; the reading itself is stricter, and has the better words. */
const WIRE_FORM = {
  pattern: '^\\d{1,10}(\\.\\d{1,9})?$',
  description: 'Dollars above zero, with at most nine decimal places.',
};

/** An amount above zero that a client sends, read into nano-dollars. A JSON number is refused: it may be rounded. */
export function positiveUsdAmount() {
  return z
    .string(AMOUNT_MESSAGE)
    .meta(WIRE_FORM)
    .transform((text, context): NanoUsd => {
      const amountNano = readAmount(text);
      if (amountNano !== undefined && amountNano > 0n) return amountNano;
      context.addIssue({ code: 'custom', message: AMOUNT_MESSAGE });
      return z.NEVER;
    });
}

function readAmount(text: string): NanoUsd | undefined {
  try {
    return fromDecimalUsd(text);
  } catch {
    return undefined;
  }
}

/** Control characters, and halves of surrogate pairs, which PostgreSQL cannot store. */
const UNFIT_CHARACTER = /[\p{Cc}\p{Cs}]/u;

/** A text for people that a client sends: a name. White space around it is dropped. Lengths are in UTF-16 units. */
export function oneLineText(maxLength: number) {
  const message = `must be a text of 1 to ${String(maxLength)} characters without control characters`;
  return z
    .string(message)
    .trim()
    .min(1, message)
    .max(maxLength, message)
    .refine((text) => !UNFIT_CHARACTER.test(text), message);
}
