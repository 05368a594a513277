import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ApiError } from '@farebox/errors';
import { isHealthCheck } from './open-routes';
import { createRequestContext } from './request-context';
import { closeAfterResponse, sendError } from './respond';

interface Connection {
  running: ServerResponse | undefined;
  waiting: Exchange[];
  /** Called once the current response is over, in place of serving the waiting requests. */
  refuseNext: (() => void) | undefined;
  /** Bytes read when its last response ended: if there are more now, a request is arriving. */
  bytesAtRest: number;
  /** Whether it carries the requests of many clients, any of which may be on its way. */
  isOfProxy: boolean;
}

interface Exchange {
  req: IncomingMessage;
  res: ServerResponse;
  serve: RequestListener;
}

/** A proxy in front has noticed by then that no connection can be made any more: docker/edge/haproxy.cfg. */
const PROXY_NOTICES_MS = 3_500;

/** Requests that may wait on a connection behind the running one. */
const MAX_WAITING = 16;

/**
 * The open connections of a server, and the running request of each. Pipelined requests are served one after the
 * other: Node would begin all of them at once, and never report to the waiting ones that the client has left.
 */
export class Connections {
  readonly #open = new Map<Socket, Connection>();
  #running = 0;
  #isDraining = false;
  #proxiesKnow = false;

  get isDraining(): boolean {
    return this.#isDraining;
  }

  follow(server: Server): void {
    server.on('connection', (socket: Socket) => {
      this.#open.set(socket, {
        ...{ running: undefined, waiting: [], refuseNext: undefined },
        ...{ bytesAtRest: 0, isOfProxy: false },
      });
      socket.once('close', () => {
        this.#drop(socket);
      });
    });
  }

  /** Whether part of a response was sent, so that nothing else may be written. */
  hasBegunAnswer(socket: Socket): boolean {
    return this.#open.get(socket)?.running?.headersSent === true;
  }

  /**
   * Whether a response runs whose request has fully arrived. Then `refuse` is called when it is over, and nothing
   * more is served: the requests behind it were not read to the end, so they could not arrive in time.
   */
  refuseAfterRunning(socket: Socket, refuse: () => void): boolean {
    const connection = this.#open.get(socket);
    if (!connection?.running?.req.complete) return false;
    connection.refuseNext = refuse;
    return true;
  }

  /**
   * From now on every response closes its connection. Connections without a request stay open as long as anything
   * runs, so that new requests on them can be asked to retry; those of a proxy until it has noticed, because a request
   * that meets the end of its connection may not be sent again.
   */
  drain(): void {
    this.#isDraining = true;
    for (const { running } of this.#open.values()) sayLast(running);
    this.#closeAtRest();
    setTimeout(() => {
      this.#proxiesKnow = true;
      this.#closeAtRest();
    }, PROXY_NOTICES_MS).unref();
  }

  /** Serves a request in its turn. */
  take(exchange: Exchange): void {
    const { socket } = exchange.req;
    const connection = this.#open.get(socket);
    if (!connection) socket.destroy();
    else if (!connection.running) this.#run(connection, exchange);
    else if (connection.waiting.length < MAX_WAITING) connection.waiting.push(exchange);
    else socket.destroy();
  }

  #run(connection: Connection, { req, res, serve }: Exchange): void {
    connection.running = res;
    connection.isOfProxy ||= NOT_BEGUN_HEADER in req.headers;
    this.#running++;
    if (this.#isDraining) sayLast(res);
    res.once('close', () => {
      if (connection.running === res) this.#end(connection, req.socket);
    });
    serve(req, res);
  }

  #end(connection: Connection, socket: Socket): void {
    connection.running = undefined;
    this.#running--;
    connection.bytesAtRest = socket.bytesRead;
    // A response that closes its connection has ended the writing: nothing more is served on it.
    const next = socket.writable ? connection.waiting.shift() : undefined;
    if (connection.refuseNext && socket.writable) connection.refuseNext();
    else if (next) {
      // Node ends a response's time-out only if no request has arrived meanwhile.
      socket.setTimeout(0);
      this.#run(connection, next);
    } else if (this.#isDraining) this.#closeAtRest();
  }

  #drop(socket: Socket): void {
    const connection = this.#open.get(socket);
    this.#open.delete(socket);
    if (connection?.running) this.#end(connection, socket);
    else if (this.#isDraining) this.#closeAtRest();
  }

  #closeAtRest(): void {
    if (this.#running > 0) return;
    for (const [socket, { bytesAtRest, isOfProxy }] of this.#open) {
      if (isOfProxy && !this.#proxiesKnow) continue;
      if (socket.bytesRead === bytesAtRest) socket.destroySoon();
    }
  }
}

function sayLast(res: ServerResponse | undefined): void {
  if (res && !res.headersSent) res.setHeader('Connection', 'close');
}

/**
 * Marks a response whose request was not processed, not even read: it may be sent to another process unchanged. For a
 * proxy in front, which does not pass it on. A proxy that can repeat a request only because of a status sends it as well:
 * its response is then 425, which no service sends otherwise.
 */
export const NOT_BEGUN_HEADER = 'x-farebox-not-begun';

const TOO_EARLY = 425;

/** Soon enough for the next process, or for this one's successor. */
const RETRY_AFTER_SECONDS = 1;

const connectionsOf = new WeakMap<Server, Connections>();

/** Makes a server drainable by `closeGracefully`. */
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
    if (NOT_BEGUN_HEADER in req.headers) {
      if (!req.complete) closeAfterResponse(res);
      res.writeHead(TOO_EARLY, { 'content-length': 0 }).end();
      return;
    }
    sendError(res, new ApiError('service_unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS }));
  };
}

/** One to reach the end of this turn, one in which connections are accepted, and one in which they are read. */
const TURNS_OF_WHAT_CAME = 3;

/**
 * Takes connections and requests that the system already holds. A process that got no processor time for a while
 * serves them instead of asking them to retry.
 */
export async function drainParsedRequests(): Promise<void> {
  for (let turn = 0; turn < TURNS_OF_WHAT_CAME; turn++) await nextTurn();
}

/**
 * Stops accepting, lets running requests finish, refuses new ones on open connections, and cuts the rest at the
 * deadline.
 */
export function closeGracefully(server: Server, deadlineMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => {
      server.closeAllConnections();
    }, deadlineMs);
    // Not the HTTP server's own `close`: it cuts connections whose response is not fully written yet.
    NetServer.prototype.close.call(server, () => {
      clearTimeout(cut);
      // Ends its timers as well.
      server.close();
      resolve();
    });
    connectionsOf.get(server)?.drain();
  });
}
