import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { ApiError } from '@farebox/errors';
import { Connections, makeDrainable, refusingWhileDraining } from './connections';
import { createRequestContext } from './request-context';
import { sendRawError, sendError, toWireError } from './respond';

export interface ServerLimits {
  maxHeaderBytes: number;
  headersTimeoutMs: number;
  requestTimeoutMs: number;
  keepAliveTimeoutMs: number;
  maxConnections: number;
}

export const DEFAULT_SERVER_LIMITS: ServerLimits = {
  maxHeaderBytes: 16 * 1024,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  keepAliveTimeoutMs: 65_000,
  maxConnections: 20_000,
};

/** How often Node checks connections for time-outs. */
const TIMEOUT_CHECK_MS = 1_000;

/**
 * An HTTP/1.1 server with every limit set. Failures before a request exists (malformed HTTP, header overflow,
 * time-outs, CONNECT, an unknown Expect) get the error envelope; Node would send nothing.
 */
export function createHttpServer(
  listener: RequestListener,
  limits: ServerLimits = DEFAULT_SERVER_LIMITS,
): Server {
  const server = createServer({
    maxHeaderSize: limits.maxHeaderBytes,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionsCheckingInterval: TIMEOUT_CHECK_MS,
    // Node answers a missing Host without a body; `refuseAmbiguousHeaders` does it with the envelope.
    requireHostHeader: false,
    noDelay: true,
  });
  server.maxConnections = limits.maxConnections;
  // Node would silently drop the headers after the 2,000th; their bytes are bounded above.
  server.maxHeadersCount = 0;
  const connections = new Connections();
  connections.follow(server);
  makeDrainable(server, connections);
  const serve = refusingWhileDraining(() => connections.isDraining, listener);
  server.on('request', (req: IncomingMessage, res: ServerResponse) => {
    connections.take({ req, res, serve });
  });
  server.on('checkExpectation', (req: IncomingMessage, res: ServerResponse) => {
    connections.take({ req, res, serve: refuseExpectation });
  });
  const { keepAliveTimeoutMs, headersTimeoutMs } = limits;
  // Their first request has its whole time, even if a shorter pause is allowed between two.
  const idleMs = Math.max(keepAliveTimeoutMs - headersTimeoutMs, headersTimeoutMs);
  answerWhatIsNoRequest(server, connections, idleMs);
  return server;
}

function refuseExpectation(req: IncomingMessage, res: ServerResponse): void {
  createRequestContext(req, res);
  sendError(res, new ApiError('invalid_request_error', { message: 'The header expect is not supported.' }));
}

function answerWhatIsNoRequest(server: Server, connections: Connections, idleMs: number): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const refuse = (): void => {
      sendRawError(socket, toWireError(error));
    };
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else if (socket.bytesRead === 0) closeUnlessUsed(socket, idleMs);
    else if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && connections.refuseAfterRunning(socket, refuse))
      return;
    else if (connections.hasBegunAnswer(socket)) socket.destroy();
    else refuse();
  });
  server.on('connect', ({ socket }: IncomingMessage) => {
    const error = new ApiError('invalid_request_error', {
      status: 405,
      message: 'CONNECT is not supported.',
    });
    if (connections.hasBegunAnswer(socket)) socket.destroy();
    else sendRawError(socket, error);
  });
}

/**
 * Clients open connections in advance, e.g. Node's own after a stream that was cut. A request sent on one as its time
 * for headers ends would get the 408 of a request that never began.
 */
function closeUnlessUsed(socket: Socket, idleMs: number): void {
  setTimeout(() => {
    if (socket.bytesRead === 0) socket.destroy();
  }, idleMs).unref();
}

/**
 * Connections that wait to be accepted; Node's own limit is 511. If more arrive while this process is busy, e.g. all
 * clients of another gateway at once, the system resets some after seconds. It may have a lower limit itself
 * (net.core.somaxconn).
 */
const LISTEN_BACKLOG = 4_096;

/** Starts to listen, and returns the port. Rejects with Node's error, e.g. `EADDRINUSE`. */
export function listen(server: Server, address: { host: string; port: number }): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ ...address, backlog: LISTEN_BACKLOG }, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}
