import type { ServerResponse } from 'node:http';

type Listener = (isWritten: boolean) => void;

const listenersOf = Symbol('listeners to the end of an answer');

interface Followed extends ServerResponse {
  [listenersOf]?: Listener[];
}

/**
 * Tells once, when an answer is over, whether all of it was handed to the client's connection. `writableFinished` does
 * not tell: Node takes a write that ends because the connection does for a finished one.
 */
export function onceAnswered(res: ServerResponse, listener: Listener): void {
  const followed: Followed = res;
  const known = followed[listenersOf];
  if (known) known.push(listener);
  else followed[listenersOf] = follow(res, listener);
}

function follow(res: ServerResponse, first: Listener): Listener[] {
  const listeners = [first];
  const { socket } = res.req;
  let isWritten = false;
  res.once('finish', () => {
    // A write that failed is told as finished too, a moment before its connection is destroyed for it.
    isWritten = !socket.destroyed && !socket.errored;
  });
  res.once('close', () => {
    for (const listener of listeners) listener(isWritten);
  });
  return listeners;
}
