import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceExitError, type ServiceProcess } from '@farebox/local-services';

/** A time in which a process could not work: killed, stopped, or without its database. */
export interface Disturbance {
  fromMs: number;
  untilMs: number;
  /** Set for a crash of the database: from then on it was gone, with every hold that was not on its disk. */
  goneAtMs?: number;
}

const RESTART_PAUSE_MS = 200;
const STOP_BOUND_MS = 5_000;
const START_BOUND_MS = 30_000;

/** A process that is killed and comes back, as under a supervisor. */
export class RestartableProcess {
  readonly disturbances: Disturbance[] = [];
  readonly #start: () => ServiceProcess;
  readonly #untilReady: (process: ServiceProcess) => Promise<unknown>;
  #process: ServiceProcess | undefined;
  #isServing = false;
  #isClosed = false;
  #paused: Disturbance | undefined;

  constructor(start: () => ServiceProcess, untilReady: (process: ServiceProcess) => Promise<unknown>) {
    this.#start = start;
    this.#untilReady = untilReady;
  }

  /** Whether it runs and is not paused. */
  get isServing(): boolean {
    return this.#isServing;
  }

  /**
   * Starts it, again if it ends before it is ready, as it does without its database. Throws if that takes too
   * long.
   */
  async start(): Promise<void> {
    const deadlineMs = Date.now() + START_BOUND_MS;
    while (!this.#isClosed) {
      this.#process = this.#start();
      try {
        await this.#process.until(within(START_BOUND_MS, this.#untilReady(this.#process)));
        this.#isServing = true;
        return;
      } catch (error) {
        if (!(error instanceof ServiceExitError) || Date.now() > deadlineMs) throw error;
        await sleep(RESTART_PAUSE_MS);
      }
    }
  }

  /** The process that was started last. */
  get current(): ServiceProcess {
    if (!this.#process) throw new Error('it was never started');
    return this.#process;
  }

  /** `kill -9`, until `start`. */
  async kill(): Promise<void> {
    const disturbance = this.disturbFromNow();
    this.#isServing = false;
    this.#process?.kill();
    await this.#process?.exited;
    disturbance.untilMs = Date.now();
  }

  /** `kill -9`, and another one in its place. */
  async killAndStart(): Promise<void> {
    await this.kill();
    await this.start();
  }

  /** It keeps its connections and does nothing, until `resume`. */
  pause(): Disturbance {
    this.#isServing = false;
    this.#process?.signal('SIGSTOP');
    this.#paused = this.disturbFromNow();
    return this.#paused;
  }

  resume(disturbance: Disturbance): void {
    this.#process?.signal('SIGCONT');
    this.#isServing = true;
    this.#paused = undefined;
    disturbance.untilMs = Date.now();
  }

  /** Brings it back, whatever state a test left it in. */
  async heal(): Promise<void> {
    if (this.#paused) this.resume(this.#paused);
    if (!this.current.running) await this.start();
  }

  /** Records an external cause that keeps it from working. */
  disturbFromNow(): Disturbance {
    const disturbance = { fromMs: Date.now(), untilMs: Infinity };
    this.disturbances.push(disturbance);
    return disturbance;
  }

  /** Ends it permanently. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#process?.signal('SIGCONT');
    await this.#process?.stop(STOP_BOUND_MS);
  }
}

async function within<T>(boundMs: number, work: Promise<T>): Promise<T> {
  const bound = new AbortController();
  const late = sleep(boundMs, undefined, { signal: bound.signal }).then(() => {
    throw new Error(`a process was not ready within ${String(boundMs)} ms`);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    bound.abort();
    late.catch(() => undefined);
  }
}
