import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A client that sends exactly the given bytes, and keeps everything that comes back. */
export interface RawClient {
  socket: Socket;
  received(): string;
  /** Writes, and resolves when the bytes were handed on. */
  send(bytes: string | Buffer): Promise<void>;
  /** Resolves when a text has arrived. Rejects if the connection ends before. */
  until(text: string): Promise<void>;
  /** Resolves with everything that arrived when the connection is closed; `reset` tells how it ended. */
  closed(): Promise<{ received: string; reset: boolean }>;
}

/** `from`: another address of this machine. */
export async function connectRaw(port: number, from = '127.0.0.1'): Promise<RawClient> {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from });
  let received = '';
  let reset = false;
  socket.on('data', (data) => (received += data.toString()));
  socket.on('error', () => (reset = true));
  const closed = new Promise<void>((resolve) => socket.once('close', resolve));
  await once(socket, 'connect');
  return {
    socket,
    received: () => received,
    send: (bytes) =>
      new Promise((resolve, reject) => {
        socket.write(bytes, (error) => {
          if (error) reject(error);
          else resolve();
        });
      }),
    async until(text) {
      while (!received.includes(text)) {
        if (socket.destroyed) throw new Error(`the connection ended before ${text}: ${received}`);
        await Promise.race([once(socket, 'data').catch(() => undefined), closed]);
      }
    },
    async closed() {
      await closed;
      return { received, reset };
    },
  };
}
