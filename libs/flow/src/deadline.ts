/** There was no answer in time. The work may still be done later. */
export class NoAnswerInTimeError extends Error {
  constructor(timeoutMs: number) {
    super(`there was no answer within ${String(timeoutMs)} ms`);
    this.name = 'NoAnswerInTimeError';
  }
}

/** Waits for an answer, and throws `NoAnswerInTimeError` if it takes longer. A later one is dropped. */
export async function within<Answer>(timeoutMs: number, asked: Promise<Answer>): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  let lastLook: NodeJS.Immediate | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      // If this process itself stalled, the reply may be in a socket, which is read before this runs.
      lastLook = setImmediate(() => {
        reject(new NoAnswerInTimeError(timeoutMs));
      });
    }, timeoutMs);
  });
  try {
    return await Promise.race([asked, tooLate]);
  } finally {
    clearTimeout(timer);
    clearImmediate(lastLook);
  }
}
