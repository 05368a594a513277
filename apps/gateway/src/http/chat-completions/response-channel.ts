import type { ServerResponse } from 'node:http';
import type { ChatCompletionChunk } from '@farebox/contracts';
import type { ApiError } from '@farebox/errors';
import { sendJsonText } from '@farebox/http';
import type { ChatClient } from '../../use-cases/chat-client';

/** How long a customer may leave what was sent to him unread. Source: faults, "reader stalls". */
const STALL_TIMEOUT_MS = 30_000;

/** A customer at the other end of an HTTP response. */
export class ResponseChannel implements ChatClient {
  readonly #res: ServerResponse;
  readonly #gone = new AbortController();
  #unwritten = 0;
  #onFlushed: (() => void)[] = [];
  #stall: NodeJS.Timeout | undefined;

  constructor(res: ServerResponse) {
    this.#res = res;
    res.once('close', () => {
      clearTimeout(this.#stall);
      if (!res.writableFinished) this.#gone.abort();
      this.#flush();
    });
    // Its end is what 'close' tells.
    res.on('error', () => undefined);
  }

  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  announce(headers: readonly (readonly [name: string, value: string])[]): void {
    for (const [name, value] of headers) this.#res.setHeader(name, value);
  }

  sendWhole(json: string): Promise<boolean> {
    const res = this.#res;
    if (res.destroyed) return Promise.resolve(false);
    return new Promise((resolve) => {
      res.once('finish', () => {
        resolve(true);
      });
      res.once('close', () => {
        resolve(res.writableFinished);
      });
      sendJsonText(res, 200, json);
    });
  }

  sendChunk(chunk: ChatCompletionChunk, onDelivered: () => void): boolean {
    this.#begin();
    const hasRoom = this.#write(toEvent(chunk), onDelivered);
    if (!hasRoom) this.#awaitReader();
    return hasRoom;
  }

  onDrained(listener: () => void): void {
    this.#res.on('drain', () => {
      clearTimeout(this.#stall);
      listener();
    });
  }

  flushed(): Promise<void> {
    // 'close' may still be on its way.
    if (this.#res.destroyed) this.#gone.abort();
    if (this.#unwritten === 0 || this.#res.destroyed) return Promise.resolve();
    return new Promise((resolve) => {
      this.#awaitReader();
      this.#onFlushed.push(resolve);
    });
  }

  endStream(lastChunk: ChatCompletionChunk | undefined): void {
    this.#begin();
    this.#res.end(`${lastChunk ? toEvent(lastChunk) : ''}data: [DONE]\n\n`);
  }

  failStream(error: ApiError): void {
    if (this.#res.destroyed) return;
    this.#begin();
    // A clean end without [DONE] looks like success to some clients: the connection is cut instead.
    this.#res.write(toEvent({ object: 'error', ...error.toEnvelope() }), () => {
      this.#res.destroy();
    });
  }

  #begin(): void {
    if (this.#res.headersSent) return;
    this.#res.setHeader('content-type', 'text/event-stream; charset=utf-8');
    this.#res.setHeader('cache-control', 'no-store');
    this.#res.setHeader('x-accel-buffering', 'no');
    this.#res.writeHead(200);
  }

  #write(text: string, onDelivered: () => void): boolean {
    this.#unwritten++;
    return this.#res.write(text, (error) => {
      this.#unwritten--;
      if (error) this.#gone.abort();
      else onDelivered();
      if (this.#unwritten === 0) this.#flush();
    });
  }

  #flush(): void {
    clearTimeout(this.#stall);
    for (const resolve of this.#onFlushed.splice(0)) resolve();
  }

  #awaitReader(): void {
    clearTimeout(this.#stall);
    this.#stall = setTimeout(() => {
      this.#res.destroy();
    }, STALL_TIMEOUT_MS);
  }
}

function toEvent(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
