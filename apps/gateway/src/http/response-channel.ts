import type { ServerResponse } from 'node:http';
import type { ChatCompletionChunk, CompletionUsage } from '@farebox/contracts';
import type { ApiError } from '@farebox/errors';
import { noteErrorCode, onceResponseEnds, sendJsonText } from '@farebox/http';
import { StopSwitch, type AnswerIdentity, type ChatClient, type StopSignal } from '../use-cases/completion';
import type { ResponseWriter } from './wire';

export interface ChannelTimes {
  /** How long a customer may leave what was sent to them unread. Source: faults, "reader stalls". */
  stallTimeoutMs: number;
  /** After how long a silence a stream shows that it is alive. */
  heartbeatMs: number;
}

/** A customer at the other end of an HTTP response, who is given it in one piece. */
export class WholeChannel implements Pick<ChatClient, 'gone' | 'announce' | 'sendWhole'> {
  protected readonly res: ServerResponse;
  protected readonly times: ChannelTimes;
  readonly #gone = new StopSwitch();

  constructor(res: ServerResponse, times: ChannelTimes) {
    this.res = res;
    this.times = times;
    onceResponseEnds(res, (isWritten) => {
      if (!isWritten) this.leave();
    });
    // Its end is what 'close' tells.
    res.on('error', () => undefined);
  }

  get gone(): StopSignal {
    return this.#gone;
  }

  announce(headers: readonly (readonly [name: string, value: string])[]): void {
    for (const [name, value] of headers) this.res.setHeader(name, value);
  }

  sendWhole(json: string | readonly Buffer[]): Promise<boolean> {
    const { res } = this;
    if (res.destroyed) return Promise.resolve(false);
    return new Promise((resolve) => {
      onceResponseEnds(res, resolve);
      sendJsonText(res, 200, json, this.times.stallTimeoutMs);
    });
  }

  /** They have gone before all of it was written. */
  protected leave(): void {
    this.#gone.abort();
  }
}

/** A customer who reads what a wire's writer writes. */
export class ResponseChannel extends WholeChannel implements ChatClient {
  readonly #writer: ResponseWriter;
  readonly toWhole: ChatClient['toWhole'];
  #unwritten = 0;
  #onFlushed: (() => void)[] = [];
  #stall: NodeJS.Timeout | undefined;
  #heartbeat: NodeJS.Timeout | undefined;

  constructor(res: ServerResponse, times: ChannelTimes, writer: ResponseWriter) {
    super(res, times);
    this.#writer = writer;
    this.toWhole = writer.toWhole.bind(writer);
    onceResponseEnds(res, () => {
      clearTimeout(this.#stall);
      clearTimeout(this.#heartbeat);
      this.#flush();
    });
  }

  sendChunk(of: AnswerIdentity, choices: ChatCompletionChunk['choices'], onDelivered: () => void): boolean {
    this.#begin();
    this.#heartbeat?.refresh();
    const hasRoom = this.#write(this.#writer.toChunk(of, choices), onDelivered);
    if (!hasRoom) this.#awaitReader();
    return hasRoom;
  }

  onDrained(listener: () => void): void {
    this.res.on('drain', () => {
      clearTimeout(this.#stall);
      listener();
    });
  }

  flushed(): Promise<void> {
    // 'close' may still be on its way.
    if (this.res.destroyed) this.leave();
    if (this.#unwritten === 0 || this.res.destroyed) return Promise.resolve();
    return new Promise((resolve) => {
      this.#awaitReader();
      this.#onFlushed.push(resolve);
    });
  }

  endStream(of: AnswerIdentity, usage: CompletionUsage): void {
    this.#begin();
    clearTimeout(this.#heartbeat);
    this.#awaitReader();
    this.res.end(this.#writer.toEnd(of, usage));
  }

  failStream(error: ApiError): void {
    if (this.res.destroyed) return;
    noteErrorCode(this.res, error.code);
    this.#begin();
    clearTimeout(this.#heartbeat);
    this.#awaitReader();
    // A clean end looks like success to some clients, whatever was said before: the connection is cut instead.
    this.res.write(this.#writer.toFailure(error), () => {
      this.res.destroy();
    });
  }

  #begin(): void {
    if (this.res.headersSent) return;
    this.res.setHeader('content-type', 'text/event-stream; charset=utf-8');
    this.res.setHeader('cache-control', 'no-store');
    this.res.setHeader('x-accel-buffering', 'no');
    this.res.writeHead(200);
    // Of a customer who has gone, no event would end it.
    if (!this.res.destroyed) this.#heartbeat = setTimeout(this.#beat, this.times.heartbeatMs);
  }

  readonly #beat = (): void => {
    // A customer who does not read has no use for it.
    if (this.#unwritten === 0) this.#write(this.#writer.heartbeat, () => undefined);
    this.#heartbeat?.refresh();
  };

  #write(text: string, onDelivered: () => void): boolean {
    const { socket } = this.res.req;
    this.#unwritten++;
    return this.res.write(text, (error) => {
      this.#unwritten--;
      // Node acknowledges without an error what was on its way when the connection ended.
      if (error || socket.destroyed) this.leave();
      else onDelivered();
      if (this.#unwritten === 0) this.#flush();
      else this.#stall?.refresh();
    });
  }

  #flush(): void {
    clearTimeout(this.#stall);
    for (const resolve of this.#onFlushed.splice(0)) resolve();
  }

  #awaitReader(): void {
    clearTimeout(this.#stall);
    if (this.res.destroyed) return;
    this.#stall = setTimeout(() => {
      // Not an orderly end: the system would keep what was written until the customer reads it.
      this.res.req.socket.resetAndDestroy();
    }, this.times.stallTimeoutMs);
  }
}
