import { CANARY, type Fault, TOKENS_BEFORE_FAULT } from './behaviours';
import type { ChatRequest } from './chat-request';
import type { Content, Piece } from './content';
import { awkwardFraming, type Exchange, plainFraming } from './exchange';
import { type Answer, composeAnswer, CREATED, errorBody, type Usage } from './response';
import { endlessProse } from './text';
import { logprobsOf } from './whole-response';

interface StreamOptions {
  /** Reported in the last chunk; `undefined` for no such chunk. */
  usage: Usage | undefined;
  /** `undefined`: at once. */
  tokensPerSecond: number | undefined;
  split: boolean;
  fault: Fault | undefined;
}

/** Sends events of one stream, at its pace and in its framing. */
type SendEvent = (body: object | '[DONE]', tokens: number) => Promise<void>;

/** Each event has a fixed time after the start of the stream, so that delays do not add up. */
function eventSender(
  exchange: Exchange,
  { tokensPerSecond, split }: Omit<StreamOptions, 'usage'>,
): SendEvent {
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

/** The fault of a stream after its first tokens. Returns whether the rest of it is still sent. */
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

function beginStream(exchange: Exchange): void {
  exchange.begin(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
}

export async function streamAnswer(
  exchange: Exchange,
  answer: Answer,
  options: StreamOptions,
): Promise<void> {
  const chunks = toStreamChunks(answer, options.usage);
  const done = { body: '[DONE]' as const, tokens: 0 };
  await sendStream(exchange, { ...chunks, closing: [...chunks.closing, done] }, options);
}

/** Sends a stream, or the part before a fault. */
export async function sendStream(
  exchange: Exchange,
  { opening, pieces, closing }: StreamChunks,
  options: Omit<StreamOptions, 'usage'>,
): Promise<void> {
  beginStream(exchange);
  const send = eventSender(exchange, options);

  await sendAll(send, opening);
  await sendAll(send, pieces.slice(0, TOKENS_BEFORE_FAULT));
  if (options.fault && !(await STREAM_FAULTS[options.fault](exchange, send))) return;
  await sendAll(send, pieces.slice(TOKENS_BEFORE_FAULT));
  await sendAll(send, closing);
  exchange.end();
}

/** One event with its number of tokens. */
export interface Chunk {
  body: object | '[DONE]';
  tokens: number;
}

interface StreamChunks {
  opening: Chunk[];
  pieces: Chunk[];
  closing: Chunk[];
}

/** The start of a tool call; its arguments come after it. */
function callDelta({ toolCalls }: Content, index: number, args: string): object {
  const { id = '', name = '' } = toolCalls[index] ?? {};
  return { tool_calls: [{ index, id, type: 'function', function: { name, arguments: args } }] };
}

function openingDelta(content: Content): object {
  if (content.toolCalls.length === 0) return { role: 'assistant', content: '', refusal: null };
  return { role: 'assistant', content: null, ...callDelta(content, 0, '') };
}

function pieceDelta(content: Content, { kind, call, text }: Piece, isFirstOfCall: boolean): object {
  if (kind !== 'arguments') return { [kind]: text };
  if (isFirstOfCall && call > 0) return callDelta(content, call, text);
  return { tool_calls: [{ index: call, function: { arguments: text } }] };
}

/** The pieces of one choice as its deltas, with additional data. */
function pieceChunks(content: Content, { topLogprobs }: Answer, chunk: ChunkWriter): Chunk[] {
  return content.pieces.map((piece, position) => {
    const delta = pieceDelta(content, piece, content.pieces[position - 1]?.call !== piece.call);
    const logprobs =
      topLogprobs === undefined || piece.kind !== 'content' ? null : logprobsOf([piece], topLogprobs);
    return chunk.delta(content.index, delta, { tokens: 1, logprobs });
  });
}

/** If several choices are requested, their pieces alternate, as from a real upstream. */
function inTurn(choices: readonly Chunk[][]): Chunk[] {
  const longest = choices.reduce((length, chunks) => Math.max(length, chunks.length), 0);
  return Array.from({ length: longest }, (_, position) =>
    choices.flatMap((chunks) => chunks.slice(position, position + 1)),
  ).flat();
}

interface DeltaDetails {
  tokens?: number;
  logprobs?: object | null;
  finishReason?: Content['finishReason'];
}

type ChunkWriter = ReturnType<typeof chunkWriter>;

/** Writes chunks of one response. `withUsage` adds the `usage` field: null in each chunk, the counts in the last. */
function chunkWriter(answer: Pick<Answer, 'id' | 'model' | 'fingerprint'>, withUsage: boolean) {
  const write = (choices: object[], tokens: number, usage: Usage | null = null): Chunk => ({
    tokens,
    body: {
      id: answer.id,
      object: 'chat.completion.chunk',
      created: CREATED,
      model: answer.model,
      service_tier: 'default',
      system_fingerprint: answer.fingerprint,
      choices,
      ...(withUsage && { usage }),
    },
  });
  return {
    delta: (
      index: number,
      delta: object,
      { tokens = 0, logprobs = null, finishReason = null }: DeltaDetails = {},
    ): Chunk => write([{ index, delta, logprobs, finish_reason: finishReason }], tokens),
    usage: (usage: Usage): Chunk => write([], 0, usage),
  };
}

/** The response as a stream. `usage` is reported in its last chunk, `undefined` for no such chunk. */
function toStreamChunks(answer: Answer, usage: Usage | undefined): StreamChunks {
  const chunk = chunkWriter(answer, usage !== undefined);
  const endings = answer.choices.map(({ index, finishReason }) => chunk.delta(index, {}, { finishReason }));
  return {
    opening: answer.choices.map((content) => chunk.delta(content.index, openingDelta(content))),
    pieces: inTurn(answer.choices.map((content) => pieceChunks(content, answer, chunk))),
    closing: usage ? [...endings, chunk.usage(usage)] : endings,
  };
}

/** Sends output until the client leaves, whatever its limit. */
export async function sendEndlessAnswer(exchange: Exchange, request: ChatRequest): Promise<void> {
  const options = { toLimit: false, beyondAscii: false, reasons: false };
  const answer = await composeAnswer({ ...request, n: 1 }, options);
  const prose = endlessProse(answer.id);
  const chunk = chunkWriter(answer, false);

  if (request.stream) beginStream(exchange);
  else {
    exchange.begin(200, { 'content-type': 'application/json' });
    await exchange.write(
      `{"id":"${answer.id}","choices":[{"index":0,"message":{"role":"assistant","content":"`,
    );
  }
  for (const piece of prose) {
    await exchange.write(
      request.stream ? plainFraming(chunk.delta(0, { content: piece }, { tokens: 1 }).body, 0) : piece,
    );
    exchange.received.tokensSent += 1;
  }
}
