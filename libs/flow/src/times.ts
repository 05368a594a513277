export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
/** In UTC, which has no summer time: all hours have the same length, and so have all days. */
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
