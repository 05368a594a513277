const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

export interface Interruption {
  signal: AbortSignal;
  /** Resolves when the person has asked to stop. */
  asked: Promise<void>;
}

/** From now on Ctrl-C, SIGTERM and the end of the terminal ask to stop, once or more often. */
export function listenForInterruption(): Interruption {
  const controller = new AbortController();
  const asked = new Promise<void>((resolve) => {
    for (const name of SIGNALS) {
      process.on(name, () => {
        controller.abort();
        resolve();
      });
    }
  });
  return { signal: controller.signal, asked };
}

/** Waits for `work`, but no longer than until `interrupt` fires, and then throws. */
export async function unlessInterrupted<T>(work: Promise<T>, interrupt: AbortSignal): Promise<T> {
  interrupt.throwIfAborted();
  const interrupted = new Promise<never>((_resolve, reject) => {
    interrupt.addEventListener('abort', () => {
      reject(new Error('interrupted'));
    });
  });
  return Promise.race([work, interrupted]);
}
