/** The filter of usage; `start` and `end` are UTC days (`2026-11-01`), both included. */
export interface UsageFilter {
  start?: string | undefined;
  end?: string | undefined;
  model?: string | undefined;
  key_public_id?: string | undefined;
}

export const DAY_MS = 86_400_000;

export const RANGES = [
  { name: 'Today', days: 1 },
  { name: '7 days', days: 7 },
  { name: '30 days', days: 30 },
  { name: '90 days', days: 90 },
] as const;

/** The service's default range. */
const DEFAULT_RANGE = '30 days';
const DEFAULT_DAYS = 30;

/** `2026-11-01` in UTC, as the service counts days. */
export const toUtcDay = (ms: number): string => new Date(ms).toISOString().slice(0, 'yyyy-mm-dd'.length);

/** The first of this many days, the last of which is today. */
export const startOfRange = (days: number, nowMs: number): string => toUtcDay(nowMs - (days - 1) * DAY_MS);

/** The name of the preset range of a filter, or `Custom`. */
export function rangeOf({ start, end }: UsageFilter, nowMs: number): string {
  if (end !== undefined) return 'Custom';
  if (start === undefined) return DEFAULT_RANGE;
  return RANGES.find(({ days }) => startOfRange(days, nowMs) === start)?.name ?? 'Custom';
}

/** The days of a filter in the API's form: the end is exclusive. */
export const toBounds = ({ start, end }: UsageFilter): { start?: string; end?: string } => ({
  ...(start === undefined ? {} : { start }),
  ...(end === undefined ? {} : { end: toUtcDay(Date.parse(end) + DAY_MS) }),
});

/** The filter with the days that it covers: without a start, the service's default, as its sums have it. */
export function withStart<Filter extends UsageFilter>(
  filter: Filter,
  nowMs: number,
): Filter & { start: string } {
  const { start, end } = filter;
  const lastMs = end === undefined ? nowMs : Date.parse(end);
  return { ...filter, start: start ?? startOfRange(DEFAULT_DAYS, lastMs) };
}
