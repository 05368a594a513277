import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePorts, locateRedis, RedisServer, ServiceProcess, thisMachine } from '@farebox/local-services';
import { Redis } from 'ioredis';
import { waitUntil } from './waiting';

const NAME = 'farebox';
const SENTINELS = 3;
/** With letters that have a meaning in a URL. */
const PASSWORD = 'p@ss/word';
const SENTINEL_PASSWORD = 'other&word';

/** A primary with two replicas, watched by three sentinels. */
export interface RedisSentinelGroup {
  /** For REDIS_URL. */
  url: string;
  /** The server that the sentinels call the primary. */
  primary(): Promise<RedisServer>;
  /** The others that run. */
  replicas(): Promise<RedisServer[]>;
  /** Waits until the sentinels know another primary than this one. */
  failedOverFrom(server: RedisServer): Promise<void>;
  remove(): Promise<void>;
}

export async function startRedisSentinels(): Promise<RedisSentinelGroup> {
  const source = locateRedis({ ...thisMachine(() => undefined), env: {} });
  if (source.kind !== 'program') throw new Error('This test starts servers of its own.');
  const program = source.path;
  const folder = mkdtempSync(path.join(tmpdir(), 'farebox-sentinels-'));
  const servers: RedisServer[] = [];
  const sentinels: ServiceProcess[] = [];
  const remove = async (): Promise<void> => {
    await Promise.all(sentinels.map((sentinel) => sentinel.stop()));
    await Promise.all(servers.map((server) => server.remove()));
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    for (let i = 0; i < 3; i++) servers.push(await RedisServer.start(program));
    const [first, ...others] = servers as [RedisServer, ...RedisServer[]];
    for (const { port } of others) {
      await withClient(port, '', (client) => client.replicaof('127.0.0.1', first.port));
    }
    for (const { port } of servers) {
      await withClient(port, '', (client) =>
        client.config('SET', 'masterauth', PASSWORD, 'requirepass', PASSWORD),
      );
    }
    const ports = await freePorts(SENTINELS);
    for (const port of ports) sentinels.push(await startSentinel(program, folder, port, first.port));
    const [asked] = ports as [number, ...number[]];
    await waitUntil(() => isComplete(asked), 'the sentinels know each other and both replicas');
    const primary = async (): Promise<RedisServer> => {
      const port = await primaryPort(asked);
      return servers.find((server) => server.port === port) ?? first;
    };
    const hosts = ports.map((port) => `127.0.0.1:${String(port)}`).join(',');
    const [login, own] = [PASSWORD, SENTINEL_PASSWORD].map(encodeURIComponent) as [string, string];
    return {
      url: `redis+sentinel://:${login}@${hosts}/${NAME}?sentinel_password=${own}`,
      primary,
      async replicas() {
        const current = await primary();
        return servers.filter((server) => server !== current && server.isRunning);
      },
      failedOverFrom: (server) =>
        waitUntil(async () => (await primary()) !== server, 'the sentinels choose another primary'),
      remove,
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function startSentinel(
  program: string,
  folder: string,
  port: number,
  primary: number,
): Promise<ServiceProcess> {
  const file = path.join(folder, `${String(port)}.conf`);
  const settings = [
    `port ${String(port)}`,
    'bind 127.0.0.1',
    `dir ${folder}`,
    `sentinel monitor ${NAME} 127.0.0.1 ${String(primary)} 2`,
    `requirepass ${SENTINEL_PASSWORD}`,
    `sentinel auth-pass ${NAME} ${PASSWORD}`,
    `sentinel down-after-milliseconds ${NAME} 2000`,
    `sentinel failover-timeout ${NAME} 10000`,
  ];
  writeFileSync(file, settings.join('\n'));
  const sentinel = ServiceProcess.start({
    name: 'Redis Sentinel',
    command: program,
    args: [file, '--sentinel'],
  });
  await sentinel.until(sentinel.output.waitForLine('+monitor master'));
  return sentinel;
}

async function primaryPort(sentinel: number): Promise<number> {
  const address = await withClient(sentinel, SENTINEL_PASSWORD, (client) =>
    client.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', NAME),
  );
  return Number((address as string[])[1]);
}

async function isComplete(sentinel: number): Promise<boolean> {
  const count = async (what: string): Promise<number> => {
    const known = await withClient(sentinel, SENTINEL_PASSWORD, (client) =>
      client.call('SENTINEL', what, NAME),
    );
    return (known as unknown[]).length;
  };
  return (await count('SENTINELS')) === SENTINELS - 1 && (await count('REPLICAS')) === 2;
}

async function withClient<Answer>(
  port: number,
  password: string,
  ask: (client: Redis) => Promise<Answer>,
): Promise<Answer> {
  const client = new Redis(port, { enableReadyCheck: false, ...(password !== '' && { password }) });
  client.on('error', () => undefined); // the question fails
  try {
    return await ask(client);
  } finally {
    client.disconnect();
  }
}
