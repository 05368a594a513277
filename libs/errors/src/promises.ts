export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
/** Of UTC, as the days are: there is no summer time, so that all hours, and all days, are of one length. */
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** What was asked gave no answer in time. It may still be done later. */
export class NoAnswerInTimeError extends Error {
  constructor(timeoutMs: number) {
    super(`there was no answer within ${String(timeoutMs)} ms`);
    this.name = 'NoAnswerInTimeError';
  }
}

/** What is asked for, or `NoAnswerInTimeError`. Whatever comes of it later is nobody's any more. */
export async function within<Answer>(timeoutMs: number, asked: Promise<Answer>): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new NoAnswerInTimeError(timeoutMs));
    }, timeoutMs);
  });
  try {
    return await Promise.race([asked, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

/** Does the work once at a time: whoever asks while it runs gets what that run comes to. */
export function singleFlight<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<Result> | undefined;
  return () =>
    (running ??= work().finally(() => {
      running = undefined;
    }));
}
