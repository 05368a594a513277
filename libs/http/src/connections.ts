import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Connection {
  running: ServerResponse | undefined;
  waiting: Exchange[];
  /** How much had been read when its last answer ended: where it is more now, a request is on its way. */
  bytesAtRest: number;
}

interface Exchange {
  req: IncomingMessage;
  res: ServerResponse;
  serve: RequestListener;
}

/** Requests that a connection may have waiting behind the one that runs. */
const MAX_WAITING = 16;

/**
 * The open connections of a server, and what runs on each. Requests that are sent without waiting for the former
 * answer are served one after the other: Node would begin all of them at once, and never tell those that wait for
 * their turn that the client has gone.
 */
export class Connections {
  readonly #open = new Map<Socket, Connection>();
  #running = 0;
  #isDraining = false;

  get isDraining(): boolean {
    return this.#isDraining;
  }

  follow(server: Server): void {
    server.on('connection', (socket: Socket) => {
      this.#open.set(socket, { running: undefined, waiting: [], bytesAtRest: 0 });
      socket.once('close', () => {
        this.#forget(socket);
      });
    });
  }

  /** Whether a part of an answer was sent that nothing may be written into. */
  hasBegunAnswer(socket: Socket): boolean {
    return this.#open.get(socket)?.running?.headersSent === true;
  }

  /**
   * From now on every answer says that it is the last one of its connection. Connections without a request stay open
   * as long as anything runs, so that what comes on them can be told to come again.
   */
  drain(): void {
    this.#isDraining = true;
    for (const { running } of this.#open.values()) sayLast(running);
    this.#closeAtRest();
  }

  /** Serves a request when its turn has come. */
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
    // An answer that was the last one of its connection has ended what is written: nothing more is served on it.
    const next = socket.writable ? connection.waiting.shift() : undefined;
    if (next) {
      // Node ends an answer's time-out only where no request has come meanwhile.
      socket.setTimeout(0);
      this.#run(connection, next);
    } else if (this.#isDraining) this.#closeAtRest();
  }

  #forget(socket: Socket): void {
    const connection = this.#open.get(socket);
    this.#open.delete(socket);
    if (connection?.running) this.#end(connection, socket);
    else if (this.#isDraining) this.#closeAtRest();
  }

  #closeAtRest(): void {
    if (this.#running > 0) return;
    for (const [socket, { bytesAtRest }] of this.#open) {
      if (socket.bytesRead === bytesAtRest) socket.destroySoon();
    }
  }
}

function sayLast(res: ServerResponse | undefined): void {
  if (res && !res.headersSent) res.setHeader('Connection', 'close');
}
