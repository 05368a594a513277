import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A way to PostgreSQL that can be cut and mended. */
export interface DatabaseProxy {
  /** The database's URL, through the proxy. */
  url: string;
  /** Breaks every connection and refuses new ones. */
  cut: () => Promise<void>;
  mend: () => Promise<void>;
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
  const port = await listenOn(server, 0);
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
    mend: async () => {
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
