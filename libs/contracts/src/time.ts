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
