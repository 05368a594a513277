import type { Socket } from 'node:net';
import { freeMemory } from '@farebox/flow';
import { OF_WHAT_IS_DROPPED, ReadingTurns } from './reading-turns';

export interface LingerLimits {
  maxBytes: number;
  maxMs: number;
}

/** Twice the largest body that any of the services accepts, and the time that a slow line needs for a part of it. */
const DEFAULT_LINGER_LIMITS: LingerLimits = { maxBytes: 8 * 1024 * 1024, maxMs: 5_000 };

const lingering = new WeakSet<Socket>();

/**
 * Ends a connection whose client may still be sending: written bytes go out, and incoming bytes are read and dropped,
 * up to both limits, from one address after the other. Otherwise the client's system sees a reset, and the client may
 * lose the response that explains why reading stopped. Source: RFC 9112, section 9.6.
 */
export function closeLingering(socket: Socket, limits: LingerLimits = DEFAULT_LINGER_LIMITS): void {
  if (socket.destroyed || lingering.has(socket)) return;
  lingering.add(socket);
  const deadline = setTimeout(() => socket.destroy(), limits.maxMs);
  socket.on('error', () => undefined);
  socket.once('close', () => {
    clearTimeout(deadline);
  });
  socket.end();
  if (!socket.isPaused()) dropWhatComes(socket, limits.maxBytes);
  else {
    // In this order: a listener of HTTP's own, which is removed with the others, resumes reading.
    socket.once('resume', () => {
      dropWhatComes(socket, limits.maxBytes);
    });
    socket.resume();
  }
}

const turns = new ReadingTurns(OF_WHAT_IS_DROPPED);

/** From now on incoming bytes are no requests any more, so HTTP must not see them. */
function dropWhatComes(socket: Socket, maxBytes: number): void {
  const owner = socket.remoteAddress ?? '';
  let bytes = 0;
  let hasTurn = true;
  const inTurn = {
    get destroyed() {
      return socket.destroyed;
    },
    pause() {
      hasTurn = false;
      socket.pause();
    },
    resume() {
      hasTurn = true;
      socket.resume();
    },
  };
  socket.removeAllListeners('data');
  socket.removeAllListeners('end');
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxBytes) socket.destroy();
    else turns.delivered(owner, inTurn, chunk.length);
    freeMemory(chunk);
  });
  // A body that arrived together with its head still goes to HTTP, which pauses the connection if it is large. Nobody
  // else would resume it, and the bytes that the limits are for would never be read.
  socket.on('pause', () => {
    if (hasTurn) socket.resume();
  });
}

/** Makes a connection end in that way when Node would end it after a response with `Connection: close`. */
export function lingerAfterResponse(socket: Socket, limits?: LingerLimits): void {
  const destroySoon = (): void => {
    closeLingering(socket, limits);
  };
  socket.destroySoon = destroySoon;
}
