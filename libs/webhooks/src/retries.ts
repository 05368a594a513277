import { HOUR_MS, MINUTE_MS, SECOND_MS } from '@farebox/flow';

/** About three days in all. Source: the schedule that Standard Webhooks recommends. */
const PAUSES_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];

export const MOST_ATTEMPTS = PAUSES_MS.length + 1;

/** The pause after a failed attempt, counted from 1; undefined after the last one. */
export function pauseAfter(attempt: number): number | undefined {
  return PAUSES_MS[attempt - 1];
}
