import type { Answer, Usage } from './answer';
import { TOKENS_BEFORE_FAULT, type Fault } from './behaviours';
import { CANARY } from './canaries';
import { awkwardFraming, plainFraming } from './event-framing';
import type { Exchange } from './exchange';
import { errorBody } from './refusal';
import { toStreamChunks, type Chunk } from './stream-chunks';

export interface StreamOptions {
  /** Reported in the last chunk; `undefined` for no such chunk. */
  usage: Usage | undefined;
  /** `undefined` for at once. */
  tokensPerSecond: number | undefined;
  split: boolean;
  fault: Fault | undefined;
}

/** Sends events of one stream, at its pace and in its framing. */
type SendEvent = (body: object | '[DONE]', tokens: number) => Promise<void>;

/** Each event is due at its place after the start of the stream, so that delays do not add up. */
function eventSender(exchange: Exchange, { tokensPerSecond, split }: StreamOptions): SendEvent {
  const startedAtMs = performance.now();
  let position = 0;
  return async (body, tokens) => {
    if (tokensPerSecond !== undefined && tokens > 0) {
      const dueMs = ((exchange.received.tokensSent + tokens) * 1_000) / tokensPerSecond;
      await exchange.wait(startedAtMs + dueMs - performance.now());
    }
    if (split) await exchange.writeInOddPieces(awkwardFraming(body, position));
    else await exchange.write(plainFraming(body, position));
    exchange.received.tokensSent += tokens;
    position += 1;
  };
}

/** How a stream goes wrong after its first tokens. Answers whether the rest of it is sent nevertheless. */
const STREAM_FAULTS: Record<Fault, (exchange: Exchange, send: SendEvent) => Promise<boolean>> = {
  stalls: async (exchange) => {
    await exchange.stall();
    return false;
  },
  breaks: async (exchange) => {
    await exchange.destroy();
    return false;
  },
  'ends-early': (exchange) => {
    exchange.end();
    return Promise.resolve(false);
  },
  garbage: async (exchange) => {
    await exchange.write(
      `data: {"id":"${CANARY.completionId}0","choices":[{"delta":{"content":"${CANARY.host}\n\n`,
    );
    return true;
  },
  'error-midstream': async (exchange, send) => {
    const message = `The engine on ${CANARY.host} failed.`;
    await send(errorBody({ message, type: `${CANARY.errorName}_error`, code: CANARY.errorName }), 0);
    await send('[DONE]', 0);
    exchange.end();
    return false;
  },
};

async function sendAll(send: SendEvent, chunks: readonly Chunk[]): Promise<void> {
  for (const { body, tokens } of chunks) await send(body, tokens);
}

export function beginStream(exchange: Exchange): void {
  exchange.begin(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
}

export async function streamAnswer(
  exchange: Exchange,
  answer: Answer,
  options: StreamOptions,
): Promise<void> {
  const { opening, pieces, closing } = toStreamChunks(answer, options.usage);
  beginStream(exchange);
  const send = eventSender(exchange, options);

  await sendAll(send, opening);
  await sendAll(send, pieces.slice(0, TOKENS_BEFORE_FAULT));
  if (options.fault && !(await STREAM_FAULTS[options.fault](exchange, send))) return;
  await sendAll(send, pieces.slice(TOKENS_BEFORE_FAULT));
  await sendAll(send, closing);
  await send('[DONE]', 0);
  exchange.end();
}
