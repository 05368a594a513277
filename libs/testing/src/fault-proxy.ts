import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@farebox/local-services';
import { FaultLine, type LineFault, type LineStep, nextStep } from './fault-line';

/** A TCP proxy in front of a local port, which can simulate any network failure. */
export interface FaultProxy {
  readonly port: number;
  /** From the client to the server. */
  readonly toTarget: FaultLine;
  /** From the server to the client. */
  readonly toClient: FaultLine;
  /** The same URL through the proxy. */
  through(url: string): string;
  /** Open connections on the client's side. */
  connections(): number;
  /** Resets every open connection on both sides, even if a line holds it. */
  reset(): void;
  /** Refuses new connections from now on. Open ones stay as they are. */
  stopAccepting(): void;
  acceptAgain(): Promise<void>;
  /** Ends all faults. */
  heal(): Promise<void>;
  close(): Promise<void>;
}

/** Starts a proxy in front of a port on 127.0.0.1, without a fault. */
export async function startFaultProxy(targetPort: number): Promise<FaultProxy> {
  const toTarget = new FaultLine();
  const toClient = new FaultLine();
  const clients = new Set<Socket>();
  const targets = new Set<Socket>();

  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const target = connect({ port: targetPort, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    follow(client, clients);
    follow(target, targets);
    void carry(client, target, toTarget);
    void carry(target, client, toClient);
  });
  const port = await listenOn(server, await freePort());

  const reset = (): void => {
    for (const socket of [...clients, ...targets]) resetConnection(socket);
  };
  const acceptAgain = async (): Promise<void> => {
    if (!server.listening) await listenOn(server, port);
  };
  return {
    port,
    toTarget,
    toClient,
    through(url) {
      const through = new URL(url);
      through.hostname = '127.0.0.1';
      through.port = String(port);
      return through.href;
    },
    connections: () => clients.size,
    reset,
    stopAccepting() {
      if (server.listening) server.close();
    },
    acceptAgain,
    async heal() {
      for (const line of [toTarget, toClient]) line.set({ kind: 'none' });
      await acceptAgain();
    },
    async close() {
      const closed = server.listening && new Promise((resolve) => server.close(resolve));
      reset();
      await closed;
    },
  };
}

function follow(socket: Socket, sockets: Set<Socket>): void {
  sockets.add(socket);
  // The reader of the socket handles it.
  socket.on('error', () => undefined);
  socket.once('close', () => {
    sockets.delete(socket);
  });
}

function listenOn(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** Copies data from one socket to another as the line's fault permits, until the end. */
async function carry(from: Socket, to: Socket, line: FaultLine): Promise<void> {
  await new Carrier(from, to, line).run();
}

class Carrier {
  readonly #from: Socket;
  readonly #to: Socket;
  readonly #line: FaultLine;
  readonly #closed = new AbortController();
  /** The fault that the counted bytes were passed under. */
  #countedUnder: LineFault | undefined;
  #passedBytes = 0;
  /** The line was cut: further data is lost. */
  #isCut = false;

  constructor(from: Socket, to: Socket, line: FaultLine) {
    this.#from = from;
    this.#to = to;
    this.#line = line;
    to.once('close', () => {
      this.#closed.abort();
    });
  }

  async run(): Promise<void> {
    let isReset = false;
    try {
      // Reading only after a piece was passed creates the back-pressure.
      const pieces: AsyncIterable<unknown> = this.#from.iterator({ destroyOnReturn: false });
      for await (const piece of pieces) await this.#carryBytes(piece as Buffer);
    } catch {
      isReset = true;
    }
    await this.#carryEnd(isReset);
  }

  get #isOver(): boolean {
    return this.#isCut || this.#to.destroyed;
  }

  async #carryBytes(piece: Buffer): Promise<void> {
    let rest = piece;
    while (!this.#isOver) {
      const { changed } = this.#line;
      const step = this.#next(rest.length);
      if (step.kind === 'truncate' || step.kind === 'reset') this.#cut(step.kind);
      else if (step.kind === 'lose' || rest.length === 0) return;
      else if (await this.#mayPass(step, changed)) rest = await this.#write(rest, step);
    }
  }

  async #carryEnd(isReset: boolean): Promise<void> {
    while (!this.#isOver) {
      const { changed } = this.#line;
      const step = this.#next(0);
      if (step.kind === 'lose') return;
      if (step.kind === 'truncate' || step.kind === 'reset') this.#cut(step.kind);
      else if (await this.#mayPass(step, changed)) this.#cut(isReset ? 'reset' : 'truncate');
    }
  }

  #next(waitingBytes: number): LineStep {
    const { fault } = this.#line;
    if (fault !== this.#countedUnder) this.#passedBytes = 0;
    this.#countedUnder = fault;
    return nextStep(fault, this.#passedBytes, waitingBytes);
  }

  /**
   * Waits as long as a step requires. Returns false if the fault changed meanwhile, so that another step is
   * due.
   */
  async #mayPass(step: LineStep, changed: AbortSignal): Promise<boolean> {
    const signal = AbortSignal.any([changed, this.#closed.signal]);
    if (step.kind !== 'pass') await aborted(signal);
    else if (step.afterMs > 0) await sleep(step.afterMs, undefined, { signal }).catch(() => undefined);
    return !signal.aborted;
  }

  /** Writes a part, and returns the rest once the other side's system has accepted it. */
  async #write(rest: Buffer, step: LineStep): Promise<Buffer> {
    const part = step.kind === 'pass' ? rest.subarray(0, step.bytes) : rest;
    this.#passedBytes += part.length;
    await new Promise((resolve) => this.#to.write(part, resolve));
    this.#line.notePassed(part.length);
    return rest.subarray(part.length);
  }

  #cut(kind: 'truncate' | 'reset'): void {
    this.#isCut = true;
    if (kind === 'truncate') this.#to.end();
    else for (const socket of [this.#from, this.#to]) resetConnection(socket);
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else
      signal.addEventListener(
        'abort',
        () => {
          resolve();
        },
        { once: true },
      );
  });
}

/**
 * Resets a connection, as a failing network does. One that is being shut down is destroyed instead: libuv
 * refuses to reset it (UV_EINVAL), and Node 20 then never closes it and spins at process exit.
 */
function resetConnection(socket: Socket): void {
  if (socket.writableEnded && !socket.writableFinished) socket.destroy();
  else socket.resetAndDestroy();
}
