export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
/** Of UTC, as the days are: there is no summer time, so that all hours, and all days, are of one length. */
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
