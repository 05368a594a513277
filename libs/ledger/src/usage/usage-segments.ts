import { ceilTo, DAY_MS, floorTo, type HourRange } from './usage-time';

/** Sums over closed hours or days, or the counts by hour, key and model that charges write. */
export type UsageSource = 'hours' | 'summed_hours' | 'summed_days';

/** A part of a range of usage, and where it is read. */
export interface UsageSegment extends HourRange {
  source: UsageSource;
}

/**
 * Where a range of usage is read from: whole days that have been summed, summed hours around them, and the counts by
 * the hour for what is not summed yet. Together they are the range, without a gap and without an overlap.
 */
export function segmentsOf(
  { from, to }: HourRange,
  { summedBefore, byHour }: { summedBefore: Date; byHour: boolean },
): UsageSegment[] {
  const summedTo = earlier(to, later(from, summedBefore));
  const daysFrom = byHour ? summedTo : earlier(ceilTo(DAY_MS, from), summedTo);
  const daysTo = byHour ? summedTo : later(daysFrom, floorTo(DAY_MS, summedTo));
  const segments: UsageSegment[] = [
    { source: 'summed_hours', from, to: daysFrom },
    { source: 'summed_days', from: daysFrom, to: daysTo },
    { source: 'summed_hours', from: daysTo, to: summedTo },
    { source: 'hours', from: summedTo, to },
  ];
  return segments.filter((segment) => segment.from < segment.to);
}

function earlier(a: Date, b: Date): Date {
  return a < b ? a : b;
}

function later(a: Date, b: Date): Date {
  return a > b ? a : b;
}
