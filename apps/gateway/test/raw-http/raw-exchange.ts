import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** What a client does when all of their bytes are sent. */
export type Ending =
  /** Reads until the server closes the connection. */
  | { kind: 'listens' }
  /** Ends their side of the connection, and reads on. */
  | { kind: 'halfCloses' }
  /** Cuts the connection when so many bytes of an answer have come, or after so long. */
  | { kind: 'leaves'; afterBytes: number; afterMs: number };

export interface RawExchange {
  port: number;
  /** Sent one after the other, each in a segment of its own. A character is a byte. */
  pieces: readonly string[];
  /** Between two pieces. */
  pauseMs?: number;
  ending: Ending;
}

/** A server that neither answers nor closes is waited for so long, from the last that came of it. */
const LONGEST_SILENCE_MS = 60_000;

/** Everything that came until the connection was closed, a character a byte. Rejects if it is never closed. */
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
  // A reset is an end as well: what came before it is looked at.
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
    throw new Error(`the connection was never closed; the last that came: ${received.slice(-500)}`);
  return received;
}

async function send(socket: Socket, pieces: readonly string[], pauseMs: number): Promise<void> {
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) await sleep(pauseMs);
    if (!socket.writable) return;
    socket.write(piece, 'latin1');
  }
}
