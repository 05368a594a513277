import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  commandLineOf,
  endLeftoverServer,
  freePorts,
  ServiceProcess,
  type SystemUser,
} from '@farebox/local-services';
import { startFaultProxy, type FaultProxy } from '@farebox/testing';
import type { ClusterPrograms } from './programs';
import { mountSmallDisk, type SmallDisk } from './small-disk';

/** The same for both nodes. */
export interface NodeSettings {
  programs: ClusterPrograms;
  etcdPort: number;
  ttlSeconds: number;
  superuser: { username: string; password: string };
  /** PostgreSQL does not run as root. */
  runAs: SystemUser | undefined;
  logFolder: string | undefined;
  hasSmallDisk: boolean;
}

/** Proxies through which the other node comes to PostgreSQL and to Patroni. */
type Ways = Readonly<Record<'sql' | 'rest', FaultProxy>>;

const POLL_MS = 5;
const STOP_BOUND_MS = 30_000;

/** A server of the cluster: Patroni and its PostgreSQL. */
export class PatroniNode {
  readonly name: string;
  readonly port: number;
  readonly restPort: number;
  readonly #ways: Ways;
  readonly #settings: NodeSettings;
  readonly #folder: string;
  readonly #disk: SmallDisk | undefined;
  #patroni: ServiceProcess | undefined;
  #starts = 0;
  #frozen: number[] = [];

  private constructor(
    name: string,
    folder: string,
    ports: { port: number; restPort: number; ways: Ways },
    disk: SmallDisk | undefined,
    settings: NodeSettings,
  ) {
    this.name = name;
    this.port = ports.port;
    this.restPort = ports.restPort;
    this.#ways = ports.ways;
    this.#settings = settings;
    this.#folder = folder;
    this.#disk = disk;
    const file = this.#configFile;
    writeFileSync(file, JSON.stringify(this.#config(), null, 2), { mode: 0o600 });
    const { runAs } = settings;
    if (runAs) for (const path of [folder, file]) chownSync(path, runAs.uid, runAs.gid);
  }

  /** A node with a folder of its own, on free ports. It is not started. */
  static async create(name: string, folder: string, settings: NodeSettings): Promise<PatroniNode> {
    mkdirSync(folder, { mode: 0o700 });
    // Before the proxies, which would keep a process running that may not mount it.
    const disk = settings.hasSmallDisk ? mountSmallDisk(folder) : undefined;
    const [port, restPort] = (await freePorts(2)) as [number, number];
    const ways = { sql: await startFaultProxy(port), rest: await startFaultProxy(restPort) };
    return new PatroniNode(name, folder, { port, restPort, ways }, disk, settings);
  }

  /** Starts it, or ends its fault. After `freeze` and the other faults that leave it running, it goes on where it was. */
  async start(): Promise<void> {
    for (const way of Object.values(this.#ways)) await way.heal();
    for (const pid of this.#frozen.splice(0)) signal(pid, 'SIGCONT');
    if (this.#patroni?.running) return;
    this.#starts++;
    const { programs, runAs, logFolder } = this.#settings;
    this.#patroni = ServiceProcess.start({
      name: `Patroni of ${this.name}`,
      command: programs.patroni,
      args: [this.#configFile],
      cwd: '/',
      env: { PATH: process.env['PATH'], LC_ALL: 'C', PYTHONUNBUFFERED: '1' },
      runAs,
      ...(logFolder === undefined
        ? {}
        : { logFile: join(logFolder, `${this.name}-${String(this.#starts)}.log`) }),
    });
  }

  /** Waits for `ready`; throws if Patroni ends first. */
  async until<T>(ready: Promise<T>): Promise<T> {
    if (!this.#patroni) throw new Error('it was never started');
    return this.#patroni.until(ready);
  }

  /** Kills Patroni, the server and each of its processes, like a machine that dies. Resolves when they are gone. */
  async die(): Promise<void> {
    const pids = this.#stopServer();
    this.#patroni?.kill();
    for (const pid of pids) signal(pid, 'SIGKILL');
    while (pids.some((pid) => commandLineOf(pid) !== undefined)) await sleep(POLL_MS);
    await this.#patroni?.exited;
  }

  /** It neither answers nor closes a connection, like a machine that is cut off. Patroni stops first: it sees nothing of it. */
  freeze(): void {
    const patroni = this.#patroni?.pid;
    if (patroni !== undefined) this.#frozen = [patroni, ...childrenOf(patroni)];
    for (const pid of this.#frozen) signal(pid, 'SIGSTOP');
    this.#frozen.push(...this.#stopServer());
  }

  /** Nothing of the other node comes to it, like on a network that loses everything and resends it later. */
  cutOff(): void {
    for (const { toTarget, toClient } of Object.values(this.#ways))
      for (const line of [toTarget, toClient]) line.set({ kind: 'hold' });
  }

  /** Nothing can be written to its disk until `freeDisk`. */
  fillDisk(): void {
    this.#disk?.fill();
  }

  freeDisk(): void {
    this.#disk?.free();
  }

  /** Patroni stops its server; one that a killed Patroni has left is ended too. */
  async remove(): Promise<void> {
    if (this.#patroni?.running) await this.start();
    await this.#patroni?.stop(STOP_BOUND_MS);
    await endLeftoverServer(this.#dataFolder);
    for (const way of Object.values(this.#ways)) await way.close();
    this.#disk?.remove();
  }

  get #configFile(): string {
    return join(this.#folder, 'patroni.json');
  }

  get #dataFolder(): string {
    return join(this.#folder, 'data');
  }

  /** Returns its processes. A stopped server starts no others. */
  #stopServer(): number[] {
    const postmaster = this.#postmaster();
    if (postmaster === undefined) return [];
    signal(postmaster, 'SIGSTOP');
    const pids = [postmaster, ...childrenOf(postmaster)];
    for (const pid of pids) signal(pid, 'SIGSTOP');
    return pids;
  }

  #postmaster(): number | undefined {
    const file = join(this.#dataFolder, 'postmaster.pid');
    return existsSync(file) ? Number.parseInt(readFileSync(file, 'utf8'), 10) : undefined;
  }

  /** YAML, as JSON. */
  #config(): object {
    const { programs, etcdPort, ttlSeconds, superuser } = this.#settings;
    const address = (port: number): string => `127.0.0.1:${String(port)}`;
    const { password } = superuser;
    return {
      scope: 'farebox',
      name: this.name,
      restapi: { listen: address(this.restPort), connect_address: address(this.#ways.rest.port) },
      etcd3: { host: address(etcdPort) },
      bootstrap: {
        dcs: {
          ttl: ttlSeconds,
          loop_wait: Math.max(1, Math.floor(ttlSeconds / 10)),
          retry_timeout: Math.floor((ttlSeconds * 3) / 8),
          synchronous_mode: true,
          postgresql: { use_pg_rewind: true, use_slots: true, parameters: { max_connections: 200 } },
        },
        initdb: [
          { encoding: 'UTF8' },
          { locale: 'C' },
          { 'locale-provider': 'builtin' },
          { 'builtin-locale': 'C.UTF-8' },
        ],
      },
      postgresql: {
        listen: address(this.port),
        connect_address: address(this.#ways.sql.port),
        data_dir: this.#dataFolder,
        bin_dir: programs.postgresFolder,
        pgpass: join(this.#folder, 'pgpass'),
        parameters: { unix_socket_directories: '', lc_messages: 'C', wal_sender_timeout: '3s' },
        pg_hba: [
          'host all all 127.0.0.1/32 scram-sha-256',
          'host replication replicator 127.0.0.1/32 scram-sha-256',
        ],
        authentication: {
          superuser,
          replication: { username: 'replicator', password },
          rewind: { username: 'rewinder', password },
        },
      },
      watchdog: { mode: 'off' },
    };
  }
}

function childrenOf(parent: number): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => parentOf(pid) === parent);
}

function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
    // The name of the program, in parentheses, may have spaces; its state and its parent follow.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended meanwhile.
  }
}
