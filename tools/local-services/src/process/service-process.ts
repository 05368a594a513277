import { spawn, type ChildProcess } from 'node:child_process';
import { forgetProcess, guardProcess } from './process-guard';
import { ProcessOutput } from './process-output';

const REPORTED_LINES = 20;
const OUTPUT_BOUND_MS = 1_000;

export interface ServiceOptions {
  /** What the service is called in messages. */
  name: string;
  args: readonly string[];
  /** Default: this Node. */
  command?: string;
  /** The whole environment of the process. Default: this process's. */
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  /** Its output, emptied at each start. */
  logFile?: string;
  /** The signal that asks it to stop. Default: SIGTERM. */
  stopSignal?: NodeJS.Signals;
  /** Run as this system user; only root can. */
  runAs?: { uid: number; gid: number } | undefined;
}

export interface ProcessExit {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** Set where the process could not be started at all. */
  error?: Error;
}

/** A service ended although nobody asked it to. The message holds the last lines it printed. */
export class ServiceExitError extends Error {
  override readonly name = 'ServiceExitError';
  readonly service: string;

  constructor(service: string, exit: ProcessExit, lastLines: readonly string[]) {
    const said = lastLines.length > 0 ? `; its last lines:\n${lastLines.join('\n')}` : ' and printed nothing';
    super(`${service} ${describeExit(exit)}${said}`);
    this.service = service;
  }
}

/**
 * A child process that serves until it is stopped. It is in a process group of its own, so that Ctrl-C in a terminal
 * reaches this process alone, and it does not outlive this process (see `guardProcess`).
 */
export class ServiceProcess {
  readonly name: string;
  readonly output: ProcessOutput;
  /** Settles when the process has ended, for whatever reason. Never rejects. */
  readonly exited: Promise<ProcessExit>;
  private readonly child: ChildProcess;
  private readonly stopSignal: NodeJS.Signals;

  private constructor(options: ServiceOptions) {
    this.name = options.name;
    this.stopSignal = options.stopSignal ?? 'SIGTERM';
    this.output = new ProcessOutput(options.logFile);
    this.child = spawn(options.command ?? process.execPath, options.args, {
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: options.env ?? process.env,
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      ...options.runAs,
    });
    this.exited = watchExit(this.child);
    this.output.follow([this.child.stdout, this.child.stderr].filter((stream) => stream !== null));
    if (this.child.pid !== undefined) guardProcess(this.child.pid, this.stopSignal);
  }

  static start(options: ServiceOptions): ServiceProcess {
    return new ServiceProcess(options);
  }

  /** Undefined where the process could not be started. */
  get pid(): number | undefined {
    return this.child.pid;
  }

  get running(): boolean {
    return this.child.pid !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Waits for `ready`; throws ServiceExitError if the process ends first. */
  async until<T>(ready: Promise<T>): Promise<T> {
    return Promise.race([ready, this.failure()]);
  }

  /** Asks the process to stop, and kills it if it has not within `boundMs`. */
  async stop(boundMs = 10_000, signal = this.stopSignal): Promise<ProcessExit> {
    this.signal(signal);
    const timer = setTimeout(() => {
      this.kill();
    }, boundMs);
    try {
      return await this.exited;
    } finally {
      clearTimeout(timer);
    }
  }

  /** `kill -9`. */
  kill(): void {
    this.signal('SIGKILL');
  }

  signal(signal: NodeJS.Signals): void {
    if (this.running) this.child.kill(signal);
  }

  private async failure(): Promise<never> {
    const exit = await this.exited;
    throw new ServiceExitError(this.name, exit, this.output.last(REPORTED_LINES));
  }
}

/** Prefers 'close' to 'exit', since its output is complete by then; but a process of its own may hold the pipes open. */
function watchExit(child: ChildProcess): Promise<ProcessExit> {
  return new Promise((resolve) => {
    child.once('error', (error) => {
      if (child.pid === undefined) resolve({ code: null, signal: null, error });
    });
    child.once('close', (code, signal) => {
      resolve({ code, signal });
    });
    child.once('exit', (code, signal) => {
      if (child.pid !== undefined) forgetProcess(child.pid);
      setTimeout(resolve, OUTPUT_BOUND_MS, { code, signal }).unref();
    });
  });
}

function describeExit(exit: ProcessExit): string {
  if (exit.error) return `could not be started (${exit.error.message})`;
  return exit.signal ? `was ended by ${exit.signal}` : `ended with exit code ${String(exit.code)}`;
}
