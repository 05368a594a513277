import { createServer, type AddressInfo, type Socket } from 'node:net';
import type { HostileAnswer } from './generate/upstream-answer';

/** An upstream that writes a test's bytes to its sockets. */
export interface HostileUpstream {
  url: string;
  /** Sets the answer to the request whose prompt contains `key`. */
  prepare(key: string, answer: HostileAnswer): void;
  forget(key: string): void;
  close(): Promise<void>;
}

const KEY = /run [0-9a-f-]{36}/;

export async function startHostileUpstream(): Promise<HostileUpstream> {
  const answers = new Map<string, HostileAnswer>();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    let received = '';
    socket.on('data', (data: Buffer) => {
      received += data.toString('latin1');
      const key = KEY.exec(received)?.[0];
      const answer = key === undefined ? undefined : answers.get(key);
      if (!answer || !isWhole(received)) return;
      received = '';
      void write(socket, answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/v1`,
    prepare: (key, answer) => answers.set(`run ${key}`, answer),
    forget: (key) => answers.delete(`run ${key}`),
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function isWhole(received: string): boolean {
  const end = received.indexOf('\r\n\r\n');
  const length = Number(/content-length: (\d+)/i.exec(received)?.[1] ?? 0);
  return end >= 0 && received.length >= end + 4 + length;
}

async function write(socket: Socket, { bytes, cuts, ending }: HostileAnswer): Promise<void> {
  const all = Buffer.from(bytes);
  const ends = [...cuts.map((share) => Math.floor(share * all.length)).sort((a, b) => a - b), all.length];
  let start = 0;
  for (const end of ends) {
    if (socket.destroyed) return;
    socket.write(all.subarray(start, end));
    start = end;
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (ending === 'resets') socket.resetAndDestroy();
  else socket.end();
}
