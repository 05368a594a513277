import { DAY_MS, HOUR_MS } from '@farebox/flow';

// The id of a request has the time of its admission (UUID version 7), so that a range of time is a range of a primary key.

export const FIRST_ID = '00000000-0000-0000-0000-000000000000';
export const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** The lowest id of a time; of the beginning of 1970 for one before. */
export function firstIdOf(time: Date): string {
  const hex = Math.max(0, time.getTime()).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7000-8000-000000000000`;
}

/**
 * The ids of nearly all requests that end from `from` until before `to`: those that take less than an hour, by clocks that
 * differ by less. A request that a review charges is older.
 */
function idsOfPeriod({ from, to }: { from: Date; to: Date }): [from: string, to: string] {
  return [firstIdOf(new Date(from.getTime() - HOUR_MS)), firstIdOf(new Date(to.getTime() + HOUR_MS))];
}

/** No request takes longer. */
const LONGEST_REQUEST_MS = 2 * DAY_MS;

/** The ids of all requests that end without a charge from `from` until before `to`. */
export function idsOfUncharged({ from, to }: { from: Date; to: Date }): [from: string, to: string] {
  return idsOfPeriod({ from: new Date(from.getTime() - LONGEST_REQUEST_MS), to });
}
