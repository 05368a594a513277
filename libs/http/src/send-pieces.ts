import type { ServerResponse } from 'node:http';
import { cutWhenSlow, DEFAULT_PACE, resetConnection } from './respond';

/**
 * Sends a body in pieces, each of which is made when the client has taken those before it. Cuts the connection if the
 * client takes nothing for this long. If a piece cannot be made, the connection is cut too, so that nobody takes the
 * beginning for the whole, and the error is thrown.
 */
export async function sendPieces(
  res: ServerResponse,
  pieces: AsyncIterable<string>,
  stallTimeoutMs = DEFAULT_PACE.stallTimeoutMs,
): Promise<void> {
  try {
    for await (const piece of pieces) {
      if (res.destroyed) return;
      if (!res.write(piece)) await drained(res, stallTimeoutMs);
    }
  } catch (error) {
    if (res.headersSent) resetConnection(res);
    throw error;
  }
  if (res.destroyed) return;
  res.end();
  cutWhenSlow(res);
}

/** Waits until the client has taken what was written, or is gone. */
function drained(res: ServerResponse, stallTimeoutMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(resetConnection, stallTimeoutMs, res);
    const goOn = (): void => {
      clearTimeout(cut);
      res.off('drain', goOn).off('close', goOn);
      resolve();
    };
    res.on('drain', goOn).on('close', goOn);
  });
}
