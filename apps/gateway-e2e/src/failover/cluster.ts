import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  freePorts,
  postgresUser,
  ServiceProcess,
  temporaryPostgresFolder,
  waitForHttp,
} from '@farebox/local-services';
import { prepareDatabase, type ServiceDatabase } from '../../test/breakable-database';
import { waitUntil } from '../../test/whole-service';
import { PatroniNode, type NodeSettings } from './patroni-node';
import type { ClusterPrograms } from './programs';

/** Two Patroni nodes, one of them a synchronous standby, and an address that leads to the primary. */
export interface FailoverDatabase extends ServiceDatabase {
  /** The node that holds the lock in etcd, or the synchronous standby; undefined while there is none. */
  nodeOf(role: 'leader' | 'sync_standby'): Promise<PatroniNode | undefined>;
  /** Nothing passes between the nodes any more. Both reach etcd, and are reached by their clients. */
  cutNodes(): void;
  /** Ends all faults, and waits until there is a synchronous standby. Returns whether that came in time. */
  heal(): Promise<boolean>;
}

const SUPERUSER = 'farebox';
const DATABASE = 'failover';
/** A node is copied or rewound, and the machine may be slow. */
const STANDBY_BOUND_MS = 180_000;
const ASK_BOUND_MS = 5_000;

export interface ClusterOptions {
  programs: ClusterPrograms;
  ttlSeconds: number;
  /** Disks that can be filled. */
  hasSmallDisks: boolean;
  logFolder?: string | undefined;
}

type Removal = () => Promise<unknown>;

/** Starts the cluster, and migrates a database through its address. */
export async function startCluster(options: ClusterOptions): Promise<FailoverDatabase> {
  const folder = temporaryPostgresFolder();
  const removals: Removal[] = [
    () => {
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
      return Promise.resolve();
    },
  ];
  const removeServers = async (): Promise<void> => {
    for (const removal of removals.splice(0).reverse()) await removal();
  };
  const password = randomBytes(16).toString('hex');
  let cluster: { nodes: PatroniNode[]; port: number };
  try {
    cluster = await startServers(options, folder, password, removals);
  } catch (error) {
    await removeServers();
    throw error;
  }
  const { nodes, port } = cluster;
  const url = `postgresql://${SUPERUSER}:${password}@127.0.0.1:${String(port)}/${DATABASE}`;
  return {
    ...(await prepareDatabase(url, removeServers)),
    async nodeOf(role) {
      const members = await membersOf(nodes);
      return nodes.find(({ name }) => members.get(name) === role);
    },
    cutNodes() {
      for (const node of nodes) node.cutOff();
    },
    async heal() {
      for (const node of nodes) await node.start();
      const whole = isWhole(nodes);
      await Promise.all(nodes.map((node) => node.until(whole)));
      return whole;
    },
  };
}

async function startServers(
  { programs, ttlSeconds, hasSmallDisks, logFolder }: ClusterOptions,
  folder: string,
  password: string,
  removals: Removal[],
): Promise<{ nodes: PatroniNode[]; port: number }> {
  const [etcdPort, peerPort, port] = (await freePorts(3)) as [number, number, number];
  const launch = (name: string, command: string, args: string[]): ServiceProcess => {
    const logFile = logFolder === undefined ? {} : { logFile: join(logFolder, `${name}.log`) };
    const service = ServiceProcess.start({ name, command, args, cwd: folder, ...logFile });
    removals.push(() => service.stop());
    return service;
  };
  const etcd = launch('etcd', programs.etcd, etcdArgs(join(folder, 'etcd'), etcdPort, peerPort));
  await etcd.until(waitForHttp(`http://127.0.0.1:${String(etcdPort)}/health`));

  const settings: NodeSettings = {
    ...{ programs, etcdPort, ttlSeconds, logFolder, runAs: postgresUser(folder) },
    hasSmallDisk: hasSmallDisks,
    superuser: { username: SUPERUSER, password },
  };
  const nodes: PatroniNode[] = [];
  for (const name of ['node-1', 'node-2']) {
    const node = await PatroniNode.create(name, join(folder, name), settings);
    nodes.push(node);
    removals.push(() => node.remove());
  }
  for (const node of nodes) {
    await node.start();
    const isFirst = node === nodes[0];
    const isReady = await node.until(
      isFirst
        ? waitUntil(async () => (await membersOf(nodes)).get(node.name) === 'leader', STANDBY_BOUND_MS)
        : isWhole(nodes),
    );
    if (!isReady) throw new Error(`${node.name} was not ready within ${String(STANDBY_BOUND_MS / 1_000)} s.`);
  }

  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, haproxyConfig(port, nodes));
  const haproxy = launch('haproxy', programs.haproxy, ['-db', '-f', file]);
  // Until its first check, each node counts as the primary.
  await haproxy.until(haproxy.output.waitForLine('is DOWN'));
  return { nodes, port };
}

function etcdArgs(folder: string, clientPort: number, peerPort: number): string[] {
  mkdirSync(folder, { mode: 0o700 });
  const [client, peer] = [clientPort, peerPort].map((port) => `http://127.0.0.1:${String(port)}`) as [
    string,
    string,
  ];
  return [
    ...['--name', 'farebox', '--data-dir', folder],
    ...['--listen-client-urls', client, '--advertise-client-urls', client],
    ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer],
    ...['--initial-cluster', `farebox=${peer}`],
  ];
}

/** As docs/operate/postgres.md has it. */
function haproxyConfig(port: number, nodes: readonly PatroniNode[]): string {
  const servers = nodes.map(
    (node) => `  server ${node.name} 127.0.0.1:${String(node.port)} check port ${String(node.restPort)}`,
  );
  return `defaults
  mode tcp
  timeout connect 2s
  timeout client 2h
  timeout server 2h
  timeout check 2s
listen postgres
  bind 127.0.0.1:${String(port)}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join('\n')}
`;
}

/** Whether there was a primary with a synchronous standby in time. */
function isWhole(nodes: readonly PatroniNode[]): Promise<boolean> {
  return waitUntil(async () => {
    const roles = [...(await membersOf(nodes)).values()];
    return roles.includes('leader') && roles.includes('sync_standby');
  }, STANDBY_BOUND_MS);
}

type Members = ReadonlyMap<string, string>;

/** The role of each node, as the first that answers knows it from etcd. */
async function membersOf(nodes: readonly PatroniNode[]): Promise<Members> {
  for (const { restPort } of nodes) {
    try {
      const response = await fetch(`http://127.0.0.1:${String(restPort)}/cluster`, {
        signal: AbortSignal.timeout(ASK_BOUND_MS),
      });
      const { members } = (await response.json()) as { members: { name: string; role: string }[] };
      return new Map(members.map(({ name, role }) => [name, role]));
    } catch {
      // It is down: another one is asked.
    }
  }
  return new Map();
}
