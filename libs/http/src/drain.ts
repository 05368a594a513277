import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';
import { ApiError } from '@farebox/errors';
import type { Connections } from './connections';
import { isHealthCheck } from './health';
import { createRequestContext } from './request-context';
import { sendError } from './respond';

/**
 * Says of an answer that nothing was done for its request, not even read it: it may be sent to another process as it is.
 * For a proxy in front, which keeps it to itself.
 */
export const NOT_BEGUN_HEADER = 'x-farebox-not-begun';

/** Soon enough for the next process, or for this one's successor. */
const RETRY_AFTER_SECONDS = 1;

const connectionsOf = new WeakMap<Server, Connections>();

/** Makes a server one that `closeGracefully` can drain. */
export function makeDrainable(server: Server, connections: Connections): void {
  connectionsOf.set(server, connections);
}

/** Serves requests until the server drains, and refuses them from then on; health checks are still answered. */
export function refusingWhileDraining(isDraining: () => boolean, listener: RequestListener): RequestListener {
  return (req: IncomingMessage, res: ServerResponse) => {
    if (!isDraining() || isHealthCheck(req)) {
      listener(req, res);
      return;
    }
    createRequestContext(req, res);
    res.setHeader(NOT_BEGUN_HEADER, 'draining');
    sendError(res, new ApiError('service_unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS }));
  };
}

/**
 * Stops accepting, lets what runs finish, refuses what still comes on open connections, and cuts what is left at the
 * deadline.
 */
export function closeGracefully(server: Server, deadlineMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => {
      server.closeAllConnections();
    }, deadlineMs);
    // Not the HTTP server's own `close`: it cuts connections whose answer is not yet written out.
    NetServer.prototype.close.call(server, () => {
      clearTimeout(cut);
      // Ends its timers as well.
      server.close();
      resolve();
    });
    connectionsOf.get(server)?.drain();
  });
}
