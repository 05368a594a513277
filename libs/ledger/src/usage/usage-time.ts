/** Hours and days of UTC: there is no summer time, so that all hours, and all days, are of one length. */
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** A half-open range of time: from `from` on, until before `to`. Both are beginnings of a UTC hour. */
export interface HourRange {
  from: Date;
  to: Date;
}

/** The beginning of the UTC hour or day that a time is in. */
export function floorTo(unitMs: number, time: Date): Date {
  return new Date(Math.floor(time.getTime() / unitMs) * unitMs);
}

/** The next beginning of a UTC hour or day; the time itself where it is one. */
export function ceilTo(unitMs: number, time: Date): Date {
  return new Date(Math.ceil(time.getTime() / unitMs) * unitMs);
}
