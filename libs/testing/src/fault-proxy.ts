import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@farebox/local-services';
import { FaultLine, type LineFault, type LineStep, nextStep } from './fault-line';

/** A TCP server in front of a port of this machine, on which everything goes wrong that can go wrong with a network. */
export interface FaultProxy {
  readonly port: number;
  /** From whoever connects to the server behind. */
  readonly toTarget: FaultLine;
  /** From the server behind to whoever has connected. */
  readonly toClient: FaultLine;
  /** The same URL, through the proxy. */
  through(url: string): string;
  /** Connections that are open on the side of whoever has connected. */
  connections(): number;
  /** Resets every open connection on both of its sides, also where a line holds it. */
  reset(): void;
  /** New connections are refused from now on. Those that are open stay as they are. */
  stopAccepting(): void;
  acceptAgain(): Promise<void>;
  /** Nothing is wrong any more. */
  heal(): Promise<void>;
  close(): Promise<void>;
}

/** Starts a proxy in front of a port on 127.0.0.1 that has no fault yet. */
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
  // What it means is told by whoever reads it.
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

/** Carries what comes from one socket to another, as their line permits, until there is nothing more to carry. */
async function carry(from: Socket, to: Socket, line: FaultLine): Promise<void> {
  await new Carrier(from, to, line).run();
}

class Carrier {
  readonly #from: Socket;
  readonly #to: Socket;
  readonly #line: FaultLine;
  readonly #closed = new AbortController();
  /** Under which fault the bytes were passed that are counted. */
  #countedUnder: LineFault | undefined;
  #passedBytes = 0;
  /** The line was cut: what still comes is lost. */
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
      // Reading on only after a piece was passed is what makes the back-pressure.
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

  /** Waits as long as a step asks for. False where the fault has changed meanwhile: another step is due. */
  async #mayPass(step: LineStep, changed: AbortSignal): Promise<boolean> {
    const signal = AbortSignal.any([changed, this.#closed.signal]);
    if (step.kind !== 'pass') await aborted(signal);
    else if (step.afterMs > 0) await sleep(step.afterMs, undefined, { signal }).catch(() => undefined);
    return !signal.aborted;
  }

  /** Passes a part on, and answers with the rest when the other side's system has taken it. */
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
 * Ends a connection without order, as a network does that fails. One that is being shut down just now is destroyed
 * instead: libuv refuses to reset it (UV_EINVAL), and Node 20 then never closes it and spins at the end of the process.
 */
function resetConnection(socket: Socket): void {
  if (socket.writableEnded && !socket.writableFinished) socket.destroy();
  else socket.resetAndDestroy();
}
