import type { Bucket } from '@farebox/ui/chart';
import type { Row } from './row-fields';

const HOUR_SECONDS = 3_600;
const HOURS = 24;

/** The beginning of the first of the last 24 hours, with the one that has just begun. */
export const firstHourBefore = (nowMs: number): number =>
  (Math.floor(nowMs / 1_000 / HOUR_SECONDS) - HOURS + 1) * HOUR_SECONDS;

/** The 24 hours from `first` on of a report by the hour, which leaves out those in which nothing happened. */
export function bucketsOf(
  rows: readonly Row[],
  first: number,
  read: (row: Row) => Partial<Bucket>,
): Bucket[] {
  const byHour = new Map(rows.map((row) => [row['hour'], row]));
  return Array.from({ length: HOURS }, (_, index) => {
    const starts_at = first + index * HOUR_SECONDS;
    const row = byHour.get(nameOfHour(starts_at));
    return { starts_at, requests: 0, cost: '0', ...(row && read(row)) };
  });
}

/** As reports name an hour: `2026-11-26 23:00`. */
function nameOfHour(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().slice(0, 'yyyy-mm-ddThh:mm'.length).replace('T', ' ');
}
