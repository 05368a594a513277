/**
 * The value below which this share of all values lies. `descending` may be only the longest of `count`, as long as the
 * value is among them.
 */
export function percentileMs(
  descending: readonly number[],
  share: number,
  count = descending.length,
): number {
  return descending[Math.floor(count * (1 - share) + 1e-9)] ?? 0;
}
