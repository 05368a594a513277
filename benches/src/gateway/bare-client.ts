import { connect, type Socket } from 'node:net';

/** A server on this machine or another. */
export interface Host {
  host: string;
  port: number;
}

/** A request in parts. */
export interface RequestText extends Host {
  path: string;
  headers: Record<string, string>;
  body: string;
}

/**
 * A cheap client: one kept-alive connection, one request at a time, no parsing except for the status and the end of
 * the response. Not autocannon (9.0.0): it counts latencies in whole milliseconds, where a bare proxy adds a tenth of
 * one, parses in JavaScript on the measured cores, and recognizes neither the first chunk of a stream nor its end.
 */
export class BareClient {
  readonly #socket: Socket;
  readonly #request: Buffer;
  #received = '';
  #done: ((error?: Error) => void) | undefined;
  #onBegun: (() => void) | undefined;

  private constructor(socket: Socket, request: Buffer) {
    this.#socket = socket;
    this.#request = request;
    socket.setNoDelay(true);
    socket.on('data', (bytes) => {
      this.#take(bytes.toString('latin1'));
    });
    socket.on('error', (error) => this.#done?.(error));
    socket.on('close', () => this.#done?.(new Error('the connection was closed')));
  }

  /** `request` is what `ask` sends unless it is given another. */
  static open({ port, host }: Host, request: Buffer = Buffer.alloc(0)): Promise<BareClient> {
    const socket = connect(port, host);
    return new Promise((resolve, reject) => {
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve(new BareClient(socket, request));
      });
    });
  }

  /**
   * Resolves when the whole response has arrived. Rejects if it is not a 200. `onBegun` is called with the first
   * bytes of its body.
   */
  ask(onBegun?: () => void, request = this.#request): Promise<void> {
    this.#received = '';
    this.#onBegun = onBegun;
    return new Promise((resolve, reject) => {
      this.#done = (error) => {
        this.#done = undefined;
        if (error) reject(error);
        else resolve();
      };
      this.#socket.write(request);
    });
  }

  /** Even in the middle of a response, which then neither resolves nor rejects. */
  close(): void {
    this.#done = undefined;
    this.#socket.destroy();
  }

  /** Ends the connection; the current request rejects with this. */
  fail(error: Error): void {
    this.#socket.destroy(error);
  }

  #take(text: string): void {
    this.#received += text;
    const headEnd = this.#received.indexOf('\r\n\r\n');
    if (headEnd < 0) return;
    if (!this.#received.startsWith('HTTP/1.1 200')) {
      this.#done?.(new Error(`an answer that is not a 200: ${toShort(this.#received, headEnd)}`));
      return;
    }
    if (this.#onBegun && this.#received.length > headEnd + 4) {
      this.#onBegun();
      this.#onBegun = undefined;
    }
    if (isWhole(this.#received, headEnd)) this.#done?.();
    // The skipped bytes are part of a stream: only its head and its end are parsed.
    else if (this.#received.length > headEnd + 4_096)
      this.#received = this.#received.slice(0, headEnd + 4) + this.#received.slice(-64);
  }
}

/** The status and the beginning of the body. */
function toShort(received: string, headEnd: number): string {
  return `${received.slice(0, received.indexOf('\r\n'))} ${received.slice(headEnd + 4, headEnd + 404)}`;
}

function isWhole(received: string, headEnd: number): boolean {
  const head = received.slice(0, headEnd);
  const length = /content-length: (\d+)/i.exec(head)?.[1];
  return length === undefined
    ? received.endsWith('0\r\n\r\n')
    : received.length >= headEnd + 4 + Number(length);
}

/** A request as it is sent. */
export function toRequestBytes({ host, path, headers, body }: RequestText): Buffer {
  const lines = Object.entries({ host, ...headers, 'content-length': String(Buffer.byteLength(body)) }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
}
