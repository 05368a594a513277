import type { ServerResponse } from 'node:http';

/**
 * Tells once, when an answer is over, whether all of it was handed to the client's connection. `writableFinished` does
 * not tell: Node takes a write that ends because the connection does for a finished one.
 */
export function onceAnswered(res: ServerResponse, listener: (isWritten: boolean) => void): void {
  const { socket } = res.req;
  let isWritten = false;
  res.once('finish', () => {
    isWritten = !socket.destroyed;
  });
  res.once('close', () => {
    listener(isWritten);
  });
}
