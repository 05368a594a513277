import type { HourWithUsage } from './hours-with-usage';

/**
 * How many of these hours are read at once: until they hold `wanted` matching requests, and no further than `budget`
 * requests of any kind; one at least.
 */
export function hoursToRead(
  hours: readonly HourWithUsage[],
  { wanted, budget }: { wanted: number; budget: number },
): number {
  let matching = 0;
  let all = 0;
  for (const [index, hour] of hours.entries()) {
    all += hour.all;
    if (index > 0 && all > budget) return index;
    matching += hour.matching;
    if (matching >= wanted) return index + 1;
  }
  return hours.length;
}
