import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** The client's action after its last byte. */
export type Ending =
  /** Reads until the server closes the connection. */
  | { kind: 'listens' }
  /** Ends its side of the connection, and reads on. */
  | { kind: 'halfCloses' }
  /** Closes the connection after this many bytes of an answer, or after this time. */
  | { kind: 'leaves'; afterBytes: number; afterMs: number };

export interface RawExchange {
  port: number;
  /** Sent one after the other, in separate segments. A character is a byte. */
  pieces: readonly string[];
  /** Between two pieces. */
  pauseMs?: number;
  ending: Ending;
}

/** Time limit, from the last received byte, for a server that neither answers nor closes. */
const LONGEST_SILENCE_MS = 60_000;

/**
 * Everything received until the connection was closed, one character per byte. Rejects if it is never closed.
 */
export async function exchangeRaw({ port, pieces, pauseMs = 1, ending }: RawExchange): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
  const parts: Buffer[] = [];
  let bytes = 0;
  socket.on('data', (part) => {
    parts.push(part);
    bytes += part.length;
    deadline.refresh();
    if (ending.kind === 'leaves' && bytes > ending.afterBytes) socket.destroy();
  });
  // A reset is an end as well: the bytes before it are checked.
  socket.on('error', () => undefined);
  socket.on('end', () => socket.end());
  const state = { isLate: false };
  const deadline = setTimeout(() => {
    state.isLate = true;
    socket.destroy();
  }, LONGEST_SILENCE_MS);
  const closed = new Promise<void>((resolve) => socket.once('close', resolve));

  await send(socket, pieces, pauseMs);
  if (ending.kind === 'halfCloses') socket.end();
  const leaving = ending.kind === 'leaves' && setTimeout(() => socket.destroy(), ending.afterMs);
  await closed;
  clearTimeout(deadline);
  if (leaving) clearTimeout(leaving);
  const received = Buffer.concat(parts, bytes).toString('latin1');
  if (state.isLate)
    throw new Error(`the connection was never closed; last received: ${received.slice(-500)}`);
  return received;
}

async function send(socket: Socket, pieces: readonly string[], pauseMs: number): Promise<void> {
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) await sleep(pauseMs);
    if (!socket.writable) return;
    socket.write(piece, 'latin1');
  }
}
