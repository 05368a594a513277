import { ServiceExitError, type ServiceProcess } from '@farebox/local-services';

interface Entry {
  stop: () => Promise<unknown>;
}

/** What has been started so far. It is stopped in the opposite order, so that nothing outlives what it needs. */
export class RunningStack {
  private readonly entries: Entry[] = [];
  private readonly failures: Promise<never>[] = [];

  /** Counts the process among what runs, and hands it back. */
  add(service: ServiceProcess, stop: () => Promise<unknown> = () => service.stop()): ServiceProcess {
    this.entries.push({ stop });
    const failure = service.exited.then((exit) => {
      throw new ServiceExitError(service.name, exit, service.output.last(20));
    });
    failure.catch(() => undefined); // it is an error only while somebody waits for it
    this.failures.push(failure);
    return service;
  }

  get empty(): boolean {
    return this.entries.length === 0;
  }

  /** Rejects with ServiceExitError as soon as one of the processes has ended. */
  async firstFailure(): Promise<never> {
    return Promise.race(this.failures);
  }

  async stop(): Promise<void> {
    for (const entry of this.entries.splice(0).reverse()) await entry.stop();
  }
}

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
