import type { ServerResponse } from 'node:http';
import type { TokenUsage } from '@farebox/catalog';
import type { ChatCompletion, ChatCompletionChunk, CompletionUsage } from '@farebox/contracts';
import type { ApiError } from '@farebox/errors';
import { noteErrorCode, onceResponseEnds, sendJsonText, writeJson, type WrittenStrings } from '@farebox/http';
import { toDecimalUsd, type NanoUsd } from '@farebox/money';
import {
  StopSwitch,
  type AnswerIdentity,
  type ChatClient,
  type StopSignal,
} from '../../use-cases/completion';

export interface ChannelTimes {
  /** How long a customer may leave what was sent to them unread. Source: faults, "reader stalls". */
  stallTimeoutMs: number;
  /** After how long a silence a stream shows that it is alive. */
  heartbeatMs: number;
}

/** A comment: whoever reads events passes it over, and whatever is in between sees that the stream lives. */
const HEARTBEAT = ': keep-alive\n\n';

/** A customer at the other end of an HTTP response. */
export class ResponseChannel implements ChatClient {
  readonly #res: ServerResponse;
  readonly #times: ChannelTimes;
  readonly #includesUsage: boolean;
  readonly toUsage = toCompletionUsage;
  readonly toWhole = toWhole;
  readonly #gone = new StopSwitch();
  #unwritten = 0;
  #onFlushed: (() => void)[] = [];
  #stall: NodeJS.Timeout | undefined;
  #heartbeat: NodeJS.Timeout | undefined;

  /** `includesUsage`: a stream tells its usage at its end. */
  constructor(res: ServerResponse, times: ChannelTimes, includesUsage: boolean) {
    this.#res = res;
    this.#times = times;
    this.#includesUsage = includesUsage;
    onceResponseEnds(res, (isWritten) => {
      clearTimeout(this.#stall);
      clearTimeout(this.#heartbeat);
      if (!isWritten) this.#gone.abort();
      this.#flush();
    });
    // Its end is what 'close' tells.
    res.on('error', () => undefined);
  }

  get gone(): StopSignal {
    return this.#gone;
  }

  announce(headers: readonly (readonly [name: string, value: string])[]): void {
    for (const [name, value] of headers) this.#res.setHeader(name, value);
  }

  sendWhole(json: string | readonly Buffer[]): Promise<boolean> {
    const res = this.#res;
    if (res.destroyed) return Promise.resolve(false);
    return new Promise((resolve) => {
      onceResponseEnds(res, resolve);
      sendJsonText(res, 200, json, this.#times.stallTimeoutMs);
    });
  }

  sendChunk(of: AnswerIdentity, choices: ChatCompletionChunk['choices'], onDelivered: () => void): boolean {
    this.#begin();
    this.#heartbeat?.refresh();
    const chunk = toChunk(of, choices, this.#includesUsage ? null : undefined);
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

  endStream(of: AnswerIdentity, usage: CompletionUsage): void {
    this.#begin();
    clearTimeout(this.#heartbeat);
    this.#awaitReader();
    const lastChunk = this.#includesUsage ? toEvent(toChunk(of, [], usage)) : '';
    this.#res.end(`${lastChunk}data: [DONE]\n\n`);
  }

  failStream(error: ApiError): void {
    if (this.#res.destroyed) return;
    noteErrorCode(this.#res, error.code);
    this.#begin();
    clearTimeout(this.#heartbeat);
    this.#awaitReader();
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
    // Of a customer who has gone, no event would end it.
    if (!this.#res.destroyed) this.#heartbeat = setTimeout(this.#beat, this.#times.heartbeatMs);
  }

  readonly #beat = (): void => {
    // A customer who does not read has no use for it.
    if (this.#unwritten === 0) this.#write(HEARTBEAT, () => undefined);
    this.#heartbeat?.refresh();
  };

  #write(text: string, onDelivered: () => void): boolean {
    const { socket } = this.#res.req;
    this.#unwritten++;
    return this.#res.write(text, (error) => {
      this.#unwritten--;
      // Node acknowledges without an error what was on its way when the connection ended.
      if (error || socket.destroyed) this.#gone.abort();
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
    if (this.#res.destroyed) return;
    this.#stall = setTimeout(() => {
      // Not an orderly end: the system would keep what was written until the customer reads it.
      this.#res.req.socket.resetAndDestroy();
    }, this.#times.stallTimeoutMs);
  }
}

function toEvent(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

/** A response in one piece; its long strings as the upstream wrote them, if it is known how. */
export function toWhole(
  { id, created, model }: AnswerIdentity,
  choices: ChatCompletion['choices'],
  usage: CompletionUsage,
  written?: WrittenStrings,
): string | Buffer[] {
  const whole: ChatCompletion = { id, object: 'chat.completion', created, model, choices, usage };
  return written ? writeJson(whole, written) : JSON.stringify(whole);
}

/** One event of a stream. `usage` is null on all but the last one if the customer asked for it, else left out. */
export function toChunk(
  { id, created, model }: AnswerIdentity,
  choices: ChatCompletionChunk['choices'],
  usage: CompletionUsage | null | undefined,
): ChatCompletionChunk {
  const chunk: ChatCompletionChunk = { id, object: 'chat.completion.chunk', created, model, choices };
  return usage === undefined ? chunk : { ...chunk, usage };
}

export function toCompletionUsage(
  { promptTokens, completionTokens }: TokenUsage,
  costNano: NanoUsd,
): CompletionUsage {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    cost: toDecimalUsd(costNano),
  };
}
