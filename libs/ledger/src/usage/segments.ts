import { DAY_MS } from '@farebox/flow';
import { ceilTo, floorTo, type HourRange } from './usage-sums';

/** What usage is read from. How much of a segment each of them has, `isReadAt` says. */
export type UsageSource = 'summed_hours' | 'summed_days' | 'open_day' | 'hours_of_last_day' | 'counts';

/** A part of a range of usage, and where it is read. */
export interface UsageSegment extends HourRange {
  source: UsageSource;
}

/**
 * Where a range of usage is read from: whole days that have been summed, summed hours around them, what is summed of the
 * day under way, and the counts by the hour for what is not summed yet. However far the sums reach, each hour of the range
 * is read in one of them.
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

/** Puts a value into a query, and answers what stands for it. */
export type Parameter = (value: unknown, type: string) => string;

/** SQL: whether a row of the segment's source is read, by its time. Needs `given`, which says how far the sums reach. */
export function isReadAt(time: string, { source, from, to }: UsageSegment, parameter: Parameter): string {
  return READ_OF[source](time, parameter(from, 'timestamptz'), parameter(to, 'timestamptz'));
}

/**
 * The day under way has all of its hours that are summed. A range that ends among them, or in a day that is over, has the
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
