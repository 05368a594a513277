import type { ServerResponse } from 'node:http';
import type { CompletionUsage } from '@farebox/api';
import type { ApiError } from '@farebox/errors';
import {
  noteErrorCode,
  onceResponseEnds,
  resetConnection,
  sendJsonText,
  type ReadingPace,
  type ResponseHead,
  type UnwrittenResponses,
} from '@farebox/http';
import type { AnswerIdentity, ChatClient } from '../chat/completion';
import { StopSwitch, type StopSignal } from '../stop-switch';
import type { ChunkChoice } from '../upstream/answers';
import type { ResponseWriter } from './wire';

/** The stall time-out is the "reader stalls" fault. */
export interface ChannelTimes extends ReadingPace {
  /** Silence after which a stream sends a heartbeat. */
  heartbeatMs: number;
}

/** The owner of a response, and the limits that all unwritten ones share. */
export interface ResponseOwner {
  accountId: string;
  unwritten: UnwrittenResponses;
}

const ignore = (): undefined => undefined;

/** The customer's end of a non-streamed HTTP response. */
export class WholeChannel implements Pick<ChatClient, 'gone' | 'announce' | 'sendWhole'> {
  protected readonly res: ServerResponse;
  protected readonly times: ChannelTimes;
  /** Written with the response; until then an error may still replace it. */
  protected readonly head: ResponseHead;
  readonly #gone = new StopSwitch();
  readonly #owner: ResponseOwner;

  constructor(res: ServerResponse, head: ResponseHead, times: ChannelTimes, owner: ResponseOwner) {
    this.res = res;
    this.#owner = owner;
    this.head = head;
    this.times = times;
    onceResponseEnds(res, (isWritten) => {
      if (!isWritten) this.leave();
    });
    // The end is handled by 'close'.
    res.on('error', ignore);
  }

  get gone(): StopSignal {
    return this.#gone;
  }

  announce(headers: readonly (readonly [name: string, value: string])[]): void {
    for (const [name, value] of headers) {
      const at = this.head.findIndex((text, i) => i % 2 === 0 && text === name);
      if (at < 0) this.head.push(name, value);
      else this.head[at + 1] = value;
    }
  }

  sendWhole(json: string | readonly Buffer[]): Promise<boolean> {
    const { res } = this;
    if (res.destroyed) return Promise.resolve(false);
    return new Promise((resolve) => {
      sendJsonText(res, 200, json, this.times, this.head);
      const isHandedOver = isConnected(res);
      this.#owner.unwritten.follow(res, this.#owner.accountId);
      onceResponseEnds(res, () => {
        resolve(isHandedOver);
      });
    });
  }

  /** The customer left before everything was written. */
  protected leave(): void {
    this.#gone.abort();
  }
}

/** Whether the connection accepted the last write: Node reports an earlier reset at once. */
function isConnected({ req: { socket } }: ServerResponse): boolean {
  return !socket.destroyed && !socket.errored;
}

/**
 * Node keeps the head of a response until its end, in a hundred concatenated pieces: 3 KB. Reading it makes
 * V8 flatten it into one string.
 */
function flattenHead({ _header: head = '' }: ServerResponse & { _header?: string }): void {
  Buffer.byteLength(head);
}

/** Flush once this much is buffered. */
const SENT_TOGETHER_LENGTH = 16_384;
const LAST_CHUNK = '0\r\n\r\n';

/**
 * Sends the output of a wire's writer to a customer. Events that arrive together leave together, in one
 * write, and the next write waits until the connection has taken the previous one. A write that was handed
 * over and then cut off counts as delivered, because part of it may have been read. At most one write is
 * affected; the queue behind it is not delivered.
 */
export class ResponseChannel extends WholeChannel implements ChatClient {
  readonly #writer: ResponseWriter;
  readonly toWhole: ChatClient['toWhole'];
  /** Events that go out together: at the end of the current task, or after the running write. */
  #waiting = '';
  #onDelivered: (() => void)[] = [];
  #isChunked = false;
  #unwritten = 0;
  /** More was sent than the customer takes. */
  #isFull = false;
  #onDrained: () => void = ignore;
  #onFlushed: (() => void)[] = [];
  #stall: NodeJS.Timeout | undefined;
  #heartbeat: NodeJS.Timeout | undefined;

  constructor(
    res: ServerResponse,
    head: ResponseHead,
    times: ChannelTimes,
    owner: ResponseOwner,
    writer: ResponseWriter,
  ) {
    super(res, head, times, owner);
    this.#writer = writer;
    this.toWhole = writer.toWhole.bind(writer);
    onceResponseEnds(res, () => {
      clearTimeout(this.#heartbeat);
      this.#flush();
    });
  }

  sendChunk(of: AnswerIdentity, choices: readonly ChunkChoice[], onDelivered: () => void): boolean {
    this.#begin();
    this.#waiting += this.#writer.toChunk(of, choices);
    const isFirst = this.#onDelivered.push(onDelivered) === 1;
    if (this.#waiting.length >= SENT_TOGETHER_LENGTH) this.#sendWaiting();
    else if (isFirst && this.#unwritten === 0) queueMicrotask(this.#sendWaiting);
    if (this.#hasRoom()) return true;
    if (!this.#isFull) this.#awaitReader();
    this.#isFull = true;
    return false;
  }

  onDrained(listener: () => void): void {
    this.#onDrained = listener;
  }

  flushed(): Promise<void> {
    this.#sendWaiting();
    // The 'close' event may still be pending.
    if (this.res.destroyed) this.leave();
    if (this.#unwritten === 0 || this.res.destroyed) return Promise.resolve();
    return new Promise((resolve) => {
      this.#awaitReader();
      this.#onFlushed.push(resolve);
    });
  }

  keptItems(): readonly object[] | undefined {
    return this.#writer.keptItems?.();
  }

  endStream(of: AnswerIdentity, usage: CompletionUsage): void {
    this.#begin();
    this.#writeWaiting();
    clearTimeout(this.#heartbeat);
    this.#awaitReader();
    this.res.end(this.#framed(this.#writer.toEnd(of, usage)) + (this.#isChunked ? LAST_CHUNK : ''));
  }

  failStream(error: ApiError): void {
    if (this.res.destroyed) return;
    noteErrorCode(this.res, error.code);
    this.#begin();
    this.#writeWaiting();
    clearTimeout(this.#heartbeat);
    this.#awaitReader();
    // Some clients take a clean end for success, whatever the last event says: the connection is cut instead.
    this.res.write(this.#framed(this.#writer.toFailure(error)), () => {
      this.res.destroy();
    });
  }

  #begin(): void {
    if (this.res.headersSent) return;
    this.head.push('content-type', 'text/event-stream; charset=utf-8', 'cache-control', 'no-store');
    this.head.push('x-accel-buffering', 'no');
    this.res.writeHead(200, this.head);
    this.head.length = 0;
    flattenHead(this.res);
    // Node would pass a chunk on in four parts; framed here, it is one.
    this.#isChunked = this.res.chunkedEncoding;
    this.res.chunkedEncoding = false;
    // If the client has left, no event would clear this timer.
    if (!this.res.destroyed) this.#heartbeat = setTimeout(this.#beat, this.times.heartbeatMs);
  }

  readonly #beat = (): void => {
    // A customer who does not read has no use for heartbeats.
    if (this.#unwritten === 0) this.#write(this.#writer.heartbeat, []);
    this.#heartbeat?.refresh();
  };

  readonly #sendWaiting = (): void => {
    if (this.#unwritten === 0) this.#writeWaiting();
  };

  #writeWaiting(): void {
    if (this.#onDelivered.length === 0) return;
    const text = this.#waiting;
    const onDelivered = this.#onDelivered;
    this.#waiting = '';
    this.#onDelivered = [];
    this.#heartbeat?.refresh();
    this.#write(text, onDelivered);
  }

  #hasRoom(): boolean {
    return !this.res.writableNeedDrain && this.#waiting.length < SENT_TOGETHER_LENGTH;
  }

  #write(text: string, onDelivered: readonly (() => void)[]): void {
    const { res } = this;
    const { socket } = res.req;
    this.#unwritten++;
    let isHandedOver = false;
    // Otherwise Node would write later by itself, when it is no longer known whether the connection took the
    // data.
    socket.cork();
    res.write(this.#framed(text), () => {
      this.#unwritten--;
      if (isHandedOver) for (const deliver of onDelivered) deliver();
      if (!isConnected(res)) this.leave();
      else this.#goOn();
      if (this.#unwritten === 0) this.#flush();
    });
    socket.uncork();
    isHandedOver = isConnected(res);
  }

  /** The connection has taken a write. */
  #goOn(): void {
    this.#sendWaiting();
    if (!this.#isFull || !this.#hasRoom()) {
      this.#stall?.refresh();
      return;
    }
    this.#isFull = false;
    this.#stopWaiting();
    this.#onDrained();
  }

  /** Source: RFC 9112, "Chunked Transfer Coding". A client of HTTP/1.0 reads no chunks. */
  #framed(text: string): string {
    return this.#isChunked && text !== '' ? `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n` : text;
  }

  #flush(): void {
    this.#stopWaiting();
    for (const resolve of this.#onFlushed.splice(0)) resolve();
  }

  #awaitReader(): void {
    this.#stopWaiting();
    if (this.res.destroyed) return;
    this.#stall = setTimeout(() => {
      resetConnection(this.res);
    }, this.times.stallTimeoutMs);
  }

  /** A cleared timer would be set again by `refresh`. */
  #stopWaiting(): void {
    clearTimeout(this.#stall);
    this.#stall = undefined;
  }
}
