import { CREATED, type Answer, type Usage } from './answer';
import type { Content, Piece } from './content';
import { logprobsOf } from './logprobs';

/** One `chat.completion.chunk` with how many tokens it brings. */
export interface Chunk {
  body: object;
  tokens: number;
}

export interface StreamChunks {
  opening: Chunk[];
  pieces: Chunk[];
  closing: Chunk[];
}

/** How a tool call begins; its arguments come after it. */
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

/** The pieces of one choice as its deltas, with what is told of each besides. */
function pieceChunks(content: Content, { topLogprobs }: Answer, chunk: ChunkWriter): Chunk[] {
  return content.pieces.map((piece, position) => {
    const delta = pieceDelta(content, piece, content.pieces[position - 1]?.call !== piece.call);
    const logprobs =
      topLogprobs === undefined || piece.kind !== 'content' ? null : logprobsOf([piece], topLogprobs);
    return chunk.delta(content.index, delta, { tokens: 1, logprobs });
  });
}

/** Where several choices are asked for, their pieces come in turn, as they do from a real upstream. */
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

/** Writes chunks of one answer. `withUsage` adds the `usage` field: null in each chunk, the counts in the last. */
export function chunkWriter(answer: Pick<Answer, 'id' | 'model' | 'fingerprint'>, withUsage: boolean) {
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

/** The answer as a stream. `usage` is what its last chunk reports, `undefined` for no such chunk. */
export function toStreamChunks(answer: Answer, usage: Usage | undefined): StreamChunks {
  const chunk = chunkWriter(answer, usage !== undefined);
  const endings = answer.choices.map(({ index, finishReason }) => chunk.delta(index, {}, { finishReason }));
  return {
    opening: answer.choices.map((content) => chunk.delta(content.index, openingDelta(content))),
    pieces: inTurn(answer.choices.map((content) => pieceChunks(content, answer, chunk))),
    closing: usage ? [...endings, chunk.usage(usage)] : endings,
  };
}
