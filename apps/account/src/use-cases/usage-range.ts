import { ApiError } from '@farebox/errors';
import { ceilTo, DAY_MS, floorTo, HOUR_MS, type HourRange } from '@farebox/ledger';

export type UsageBucket = 'hour' | 'day';

/** If no start is given: the day of the end and those before it. */
const DEFAULT_DAYS = 30;

/** What a range is made of, and how many days it may have: a series has a record for each of its steps. */
const RULES = {
  hour: { unitMs: HOUR_MS, mostDays: 366 },
  day: { unitMs: DAY_MS, mostDays: 3_660 },
  totals: { unitMs: HOUR_MS, mostDays: 3_660 },
} as const;

/**
 * The range of usage that is read, widened to whole hours or days of UTC: for a series by one of them, or for totals.
 * It ends now and begins 30 UTC days earlier, today being one of them, if nothing else is said. Throws
 * `invalid_request_error`.
 */
export function usageRange(
  { start, end }: { start?: Date | undefined; end?: Date | undefined },
  purpose: UsageBucket | 'totals',
  now: Date,
): HourRange {
  const { unitMs, mostDays } = RULES[purpose];
  const until = end ?? now;
  if (start !== undefined && start >= until) {
    throw invalid('start', 'must be in the past where no end is given');
  }
  const to = ceilTo(unitMs, until);
  const from = floorTo(unitMs, start ?? defaultStart(until));
  if (to.getTime() - from.getTime() > mostDays * DAY_MS) {
    const steps = purpose === 'totals' ? '' : ` in steps of one ${purpose}`;
    throw invalid('start', `must be at most ${String(mostDays)} days before the end${steps}`);
  }
  return { from, to };
}

function defaultStart(until: Date): Date {
  return new Date(Math.max(0, ceilTo(DAY_MS, until).getTime() - DEFAULT_DAYS * DAY_MS));
}

function invalid(param: string, predicate: string): ApiError {
  return new ApiError('invalid_request_error', { param, message: `'${param}' ${predicate}.` });
}
