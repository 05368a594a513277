import { freePort } from '@farebox/local-services';
import type { Pool } from 'pg';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Each operation reads at least one of these tables. */
const TABLES = ['account_session', 'sign_in_link', 'sign_in_throttle', 'payment_notice'];

/** Runs something while a table is missing: a permanent fault of the service itself. */
export async function withBrokenDatabase<Result>(pool: Pool, run: () => Promise<Result>): Promise<Result> {
  const rename = (toName: (name: string) => string, fromName: (name: string) => string) =>
    pool.query(TABLES.map((name) => `ALTER TABLE ${fromName(name)} RENAME TO ${toName(name)}`).join('; '));
  const own = (name: string): string => name;
  const hidden = (name: string): string => `hidden_${name}`;
  await rename(hidden, own);
  try {
    return await run();
  } finally {
    await rename(own, hidden);
  }
}

/** Runs something while the database is unreachable. */
export async function withoutDatabase<Result>(
  proxy: DatabaseProxy,
  run: () => Promise<Result>,
): Promise<Result> {
  await proxy.cut();
  try {
    return await run();
  } finally {
    await proxy.heal();
  }
}

/** A route to PostgreSQL that can be cut and restored. */
export interface DatabaseProxy {
  /** The database's URL, through the proxy. */
  url: string;
  /** Breaks every connection and refuses new ones. */
  cut: () => Promise<void>;
  heal: () => Promise<void>;
  close: () => Promise<void>;
}

export async function openDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      sockets.add(from);
      from.pipe(to);
      from.on('error', () => undefined);
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  const port = await listenOn(server, await freePort());
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String(port);

  const cut = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => {
        resolve();
      });
      for (const socket of sockets) socket.destroy();
    });
  return {
    url: url.href,
    cut,
    heal: async () => {
      await listenOn(server, port);
    },
    close: () => (server.listening ? cut() : Promise.resolve()),
  };
}

function listenOn(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}
