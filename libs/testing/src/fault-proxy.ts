import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { carry } from './fault-carrier';
import { FaultLine } from './fault-line';
import { resetConnection } from './reset-connection';

/** A TCP server in front of a port of this machine, on which everything goes wrong that can go wrong with a network. */
export interface FaultProxy {
  readonly port: number;
  /** From whoever connects to the server behind. */
  readonly toTarget: FaultLine;
  /** From the server behind to whoever has connected. */
  readonly toClient: FaultLine;
  /** The same URL, through the proxy. */
  through(url: string): string;
  /** Connections that are open on the side of whoever has connected. */
  connections(): number;
  /** Resets every open connection on both of its sides, also where a line holds it. */
  reset(): void;
  /** New connections are refused from now on. Those that are open stay as they are. */
  stopAccepting(): void;
  acceptAgain(): Promise<void>;
  /** Nothing is wrong any more. */
  heal(): Promise<void>;
  close(): Promise<void>;
}

/** Starts a proxy in front of a port on 127.0.0.1 that has no fault yet. */
export async function startFaultProxy(targetPort: number): Promise<FaultProxy> {
  const toTarget = new FaultLine();
  const toClient = new FaultLine();
  const clients = new Set<Socket>();
  const targets = new Set<Socket>();

  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const target = connect({ port: targetPort, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    follow(client, clients);
    follow(target, targets);
    void carry(client, target, toTarget);
    void carry(target, client, toClient);
  });
  const port = await listenOn(server, 0);

  const reset = (): void => {
    for (const socket of [...clients, ...targets]) resetConnection(socket);
  };
  const acceptAgain = async (): Promise<void> => {
    if (!server.listening) await listenOn(server, port);
  };
  return {
    port,
    toTarget,
    toClient,
    through(url) {
      const through = new URL(url);
      through.hostname = '127.0.0.1';
      through.port = String(port);
      return through.href;
    },
    connections: () => clients.size,
    reset,
    stopAccepting() {
      if (server.listening) server.close();
    },
    acceptAgain,
    async heal() {
      for (const line of [toTarget, toClient]) line.set({ kind: 'none' });
      await acceptAgain();
    },
    async close() {
      const closed = server.listening && new Promise((resolve) => server.close(resolve));
      reset();
      await closed;
    },
  };
}

function follow(socket: Socket, sockets: Set<Socket>): void {
  sockets.add(socket);
  // What it means is told by whoever reads it.
  socket.on('error', () => undefined);
  socket.once('close', () => {
    sockets.delete(socket);
  });
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
