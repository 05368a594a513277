import type { Socket } from 'node:net';

/**
 * Ends a connection without order, as a network does that fails. One that is being shut down just now is destroyed
 * instead: libuv refuses to reset it (UV_EINVAL), and Node 20 then never closes it and spins at the end of the process.
 */
export function resetConnection(socket: Socket): void {
  if (socket.writableEnded && !socket.writableFinished) socket.destroy();
  else socket.resetAndDestroy();
}
