import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import readline from 'node:readline';
import type { Readable } from 'node:stream';
import { forgetProcess, guardProcess } from './network';

const REPORTED_LINES = 20;
const OUTPUT_BOUND_MS = 1_000;

export interface ServiceOptions {
  /** The name of the service in messages. */
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
  /** Set if the process could not be started at all. */
  error?: Error;
}

/** A service ended unexpectedly. The message contains its last lines. */
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
 * A child process that serves until it is stopped. It has its own process group, so that Ctrl-C in a terminal reaches
 * this process alone, and it does not outlive this process (see `guardProcess`).
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

  /** Undefined if the process could not be started. */
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

/**
 * Prefers 'close' to 'exit', because its output is complete by then; but its own children may hold the pipes open.
 */
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

const KEPT_LINES = 200;
const MAX_LINE_CHARS = 4_000;

type Listener = (line: string) => void;

/** The output of a process: every line goes to the log file, if there is one, and the last 200 are kept. */
export class ProcessOutput {
  private readonly lines: string[] = [];
  private readonly listeners = new Set<Listener>();
  private readonly file: number | undefined;

  constructor(logFile: string | undefined) {
    this.file = logFile === undefined ? undefined : openLog(logFile);
  }

  /** Reads `streams` until they end, then closes the log file. */
  follow(streams: readonly Readable[]): void {
    let open = streams.length;
    for (const stream of streams) {
      readline
        .createInterface({ input: stream })
        .on('line', (line) => {
          this.add(line);
        })
        .on('close', () => {
          open -= 1;
          if (open === 0 && this.file !== undefined) closeSync(this.file);
        });
    }
  }

  /** The last lines printed, oldest first. */
  last(count: number): string[] {
    return this.lines.slice(-count);
  }

  /** The first line, already printed or future, that contains `text`. Does not settle if none comes. */
  waitForLine(text: string): Promise<string> {
    const known = this.lines.find((line) => line.includes(text));
    if (known !== undefined) return Promise.resolve(known);
    return new Promise((resolve) => {
      const listener = (line: string): void => {
        if (!line.includes(text)) return;
        this.listeners.delete(listener);
        resolve(line);
      };
      this.listeners.add(listener);
    });
  }

  /** Calls back with every future line. */
  onLine(listener: Listener): void {
    this.listeners.add(listener);
  }

  private add(line: string): void {
    if (this.file !== undefined) writeSync(this.file, `${line}\n`);
    this.lines.push(line.slice(0, MAX_LINE_CHARS));
    if (this.lines.length > KEPT_LINES) this.lines.shift();
    for (const listener of [...this.listeners]) listener(line);
  }
}

/** A new file, because one of an earlier run may be another user's. */
function openLog(logFile: string): number {
  rmSync(logFile, { force: true });
  return openSync(logFile, 'w', 0o600);
}

/**
 * Runs a command to its end and returns its last lines. Throws ServiceExitError if it fails, or if `interrupt` was
 * given and fired.
 */
export async function runToEnd(options: ServiceOptions, interrupt?: AbortSignal): Promise<string[]> {
  const running = ServiceProcess.start(options);
  const stop = (): void => void running.stop();
  interrupt?.addEventListener('abort', stop);
  if (interrupt?.aborted) stop();
  const exit = await running.exited;
  interrupt?.removeEventListener('abort', stop);
  if (exit.code !== 0) throw new ServiceExitError(options.name, exit, running.output.last(REPORTED_LINES));
  return running.output.last(Infinity);
}
