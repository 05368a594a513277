import { once } from 'node:events';
import type { ServerResponse, IncomingHttpHeaders } from 'node:http';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { CANARY_HEADERS } from './behaviours';

/** A request that the upstream received, and its result. */
export interface ReceivedRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  /** The parsed JSON body; `undefined` if there was none or it was not JSON. */
  body: unknown;
  /** Tokens sent so far. */
  tokensSent: number;
  /** The response was sent to its end, or cut off on purpose. */
  finished: boolean;
  /** The client closed the connection before that. */
  aborted: boolean;
}

/** Sizes of consecutive writes that cut through lines, line ends and characters. */
const ODD_SIZES = [1, 2, 3, 1, 5, 7, 1, 4, 11, 1, 13, 6, 29];

/**
 * One request and its response. Every method that waits rejects with an `AbortError` once the client is gone, so a
 * response needs no check of its own; the server catches it.
 */
export class Exchange {
  readonly received: ReceivedRequest;
  /** Aborted when the connection of this response is closed, by either side. */
  readonly gone: AbortSignal;
  readonly #response: ServerResponse;
  #closedByUs = false;

  constructor(received: ReceivedRequest, response: ServerResponse) {
    const closed = new AbortController();
    this.received = received;
    this.gone = closed.signal;
    this.#response = response;
    response.on('close', () => {
      received.finished = response.writableFinished || this.#closedByUs;
      received.aborted = !received.finished;
      closed.abort();
    });
  }

  begin(status: number, headers: Record<string, string | number>): void {
    this.gone.throwIfAborted();
    this.#response.writeHead(status, { ...CANARY_HEADERS, ...headers });
  }

  /** Writes, and waits while the client reads too slowly. */
  async write(bytes: string | Buffer): Promise<void> {
    this.gone.throwIfAborted();
    if (!this.#response.write(bytes)) await once(this.#response, 'drain', { signal: this.gone });
  }

  /** Writes a few bytes at a time, each in a separate chunk. */
  async writeInOddPieces(text: string): Promise<void> {
    const bytes = Buffer.from(text);
    for (let start = 0, turn = 0; start < bytes.length; turn += 1) {
      const size = ODD_SIZES[turn % ODD_SIZES.length] ?? 1;
      await this.write(bytes.subarray(start, start + size));
      await setImmediate(undefined, { signal: this.gone });
      start += size;
    }
  }

  /** Waits, 0 for not at all. */
  async wait(durationMs: number): Promise<void> {
    if (durationMs > 0) await setTimeout(durationMs, undefined, { signal: this.gone });
  }

  /** Sends nothing more, until the client gives up or the server closes. */
  async stall(): Promise<void> {
    if (!this.gone.aborted) await once(this.gone, 'abort');
  }

  end(bytes = ''): void {
    this.#response.end(bytes);
  }

  /** Cuts the connection after everything written so far. */
  async destroy(): Promise<void> {
    this.#closedByUs = true;
    while (this.#response.writableLength > 0) await setImmediate(undefined, { signal: this.gone });
    this.#response.destroy();
  }

  /** A whole JSON answer with its length. */
  sendJson(status: number, body: unknown, headers: Record<string, string | number> = {}): void {
    const text = JSON.stringify(body);
    this.begin(status, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      ...headers,
    });
    this.end(text);
  }
}

/** Writes one server-sent event. */
type Framing = (body: object | '[DONE]', position: number) => string;

function dataOf(body: object | '[DONE]'): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}

/** In the common form. Events that have a type are named by it. */
export const plainFraming: Framing = (body) => {
  const name = typeof body === 'object' && 'type' in body ? `event: ${String(body.type)}\n` : '';
  return `${name}data: ${dataOf(body)}\n\n`;
};

/**
 * Valid by the standard and as unusual as possible: CRLF line ends, comments, unknown fields, no space after the
 * colon, and an event's data on several lines (a line break is where JSON allows one).
 */
export const awkwardFraming: Framing = (body, position) => {
  const comment = position % 2 === 0 ? `: keep-alive ${String(position)}\r\n\r\n` : ':\r\n';
  const space = position % 3 === 0 ? '' : ' ';
  const lines =
    typeof body === 'string'
      ? [body]
      : dataOf(body).replace('{"', '{\n"').replace(',"choices":', ',\n"choices":').split('\n');
  const data = lines.map((line) => `data:${space}${line}\r\n`).join('');
  return `${comment}id: ${String(position)}\r\nretry: 3000\r\n${data}\r\n`;
};
