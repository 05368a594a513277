import { DAY_MS } from '@farebox/flow';
import { ceilTo, floorTo, type HourRange } from './usage-sums';

/** The sources of usage. `isReadAt` defines how much of a segment each of them has. */
export type UsageSource = 'summed_hours' | 'summed_days' | 'open_day' | 'hours_of_last_day' | 'counts';

/** A part of a range of usage, and its source. */
export interface UsageSegment extends HourRange {
  source: UsageSource;
}

/**
 * Splits a range of usage by source: summed whole days, the summed hours around them, the summed part of the
 * current day, and hourly counts for the rest. Wherever the sums end, each hour of the range is read from
 * exactly one source.
 */
export function segmentsOf({ from, to }: HourRange, hasDays: boolean): UsageSegment[] {
  const daysFrom = hasDays ? earlier(ceilTo(DAY_MS, from), to) : to;
  const daysTo = later(daysFrom, floorTo(DAY_MS, to));
  const segments: UsageSegment[] = [
    { source: 'summed_hours', from, to: daysFrom },
    { source: 'summed_days', from: daysFrom, to: daysTo },
    { source: 'open_day', from: daysFrom, to },
    { source: 'hours_of_last_day', from: daysTo, to },
    { source: 'counts', from, to },
  ];
  return segments.filter((segment) => segment.from < segment.to);
}

function earlier(a: Date, b: Date): Date {
  return a < b ? a : b;
}

function later(a: Date, b: Date): Date {
  return a > b ? a : b;
}

export const TABLES: Record<UsageSource, string> = {
  summed_hours: 'usage_sum',
  summed_days: 'usage_sum',
  open_day: 'usage_open_day',
  hours_of_last_day: 'usage_sum',
  counts: 'usage_hour',
};

export const isOfDays = (source: UsageSource): boolean => source === 'summed_days' || source === 'open_day';

/** Adds a value to a query, and returns its placeholder. */
export type Parameter = (value: unknown, type: string) => string;

/**
 * SQL: whether a row of the segment's source is read, by its time. Needs `given`, which contains the end of
 * the sums.
 */
export function isReadAt(time: string, { source, from, to }: UsageSegment, parameter: Parameter): string {
  return READ_OF[source](time, parameter(from, 'timestamptz'), parameter(to, 'timestamptz'));
}

/**
 * The current day has all of its summed hours. A range that ends among them, or in a completed day, reads the
 * hours of that day one by one.
 */
const READ_OF: Record<UsageSource, (time: string, from: string, to: string) => string> = {
  summed_hours: (time, from, to) => `${time} >= ${from} AND ${time} < least(${to}, given.summed_before)`,
  summed_days: (time, from, to) => `${time} >= ${from} AND ${time} < least(${to}, given.open_day)`,
  open_day: (time, from, to) =>
    `${time} >= greatest(${from}, given.open_day) AND ${time} < ${to} AND given.summed_before <= ${to}`,
  hours_of_last_day: (time, from, to) =>
    `${time} >= ${from} AND ${time} < ${to} AND given.summed_before > ${to}`,
  counts: (time, from, to) => `${time} >= greatest(${from}, given.summed_before) AND ${time} < ${to}`,
};
