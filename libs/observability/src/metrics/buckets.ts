/** Seconds, for what should take milliseconds: a call to PostgreSQL. */
export const TO_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5] as const;

/** Seconds, for what may take as long as a model does. */
export const TO_MINUTES = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300,
] as const;

/** How many at once. */
export const COUNTS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024] as const;
