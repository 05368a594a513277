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
