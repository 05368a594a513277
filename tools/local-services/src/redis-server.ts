import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from './network';
import { locateProgram, type Machine } from './machine-programs';
import { ServiceProcess } from './service-process';

const READY = 'Ready to accept connections';

/** A separate Redis for tests, on 127.0.0.1, without persistence: its data are gone when it stops. */
export class RedisServer {
  readonly port: number;
  private readonly program: string;
  private readonly folder: string;
  private process: ServiceProcess;

  private constructor(program: string, folder: string, port: number, running: ServiceProcess) {
    this.program = program;
    this.folder = folder;
    this.port = port;
    this.process = running;
  }

  /** `program` is the path of `redis-server`, see `locateRedis`. */
  static async start(program: string): Promise<RedisServer> {
    const folder = mkdtempSync(path.join(tmpdir(), 'farebox-redis-'));
    try {
      const port = await freePort();
      return new RedisServer(program, folder, port, await launch(program, folder, port));
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }

  get url(): string {
    return `redis://127.0.0.1:${String(this.port)}`;
  }

  get isRunning(): boolean {
    return this.process.running;
  }

  /** Stops the server; `restart` may bring it back. */
  async stop(): Promise<void> {
    this.resume(); // a paused process would not see the signal
    await this.process.stop();
  }

  /** Ends the server without warning, like `kill -9`. */
  async kill(): Promise<void> {
    this.process.kill();
    await this.process.exited;
  }

  /** The server keeps its connections and answers nothing, until `resume`. */
  pause(): void {
    this.process.signal('SIGSTOP');
  }

  resume(): void {
    this.process.signal('SIGCONT');
  }

  /** Stops the server, if it runs, and starts an empty one on the same port. */
  async restart(): Promise<void> {
    await this.stop();
    this.process = await launch(this.program, this.folder, this.port);
  }

  /** Stops the server and deletes its folder. */
  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

async function launch(program: string, folder: string, port: number): Promise<ServiceProcess> {
  const server = ServiceProcess.start({
    name: 'Redis',
    command: program,
    args: [
      ...['--port', String(port), '--bind', '127.0.0.1', '--dir', folder],
      ...['--save', '', '--appendonly', 'no', '--daemonize', 'no'],
    ],
  });
  await server.until(server.output.waitForLine(READY));
  return server;
}

/** A Redis that is already running, or a program that starts one. */
export type RedisSource = { kind: 'running'; url: string } | { kind: 'program'; path: string };

/** The source of the tests' Redis: REDIS_URL, else the program `redis-server`, see `locateProgram`. */
export function locateRedis(
  machine: Machine & { env: Readonly<Record<string, string | undefined>> },
): RedisSource {
  if (machine.env['REDIS_URL']) return { kind: 'running', url: machine.env['REDIS_URL'] };
  const path = locateProgram(machine, {
    program: 'redis-server',
    brew: 'redis',
    missing: (command) =>
      `The tests need Redis: run "${command}", or set REDIS_URL to one that they may fill.`,
  });
  return { kind: 'program', path };
}
