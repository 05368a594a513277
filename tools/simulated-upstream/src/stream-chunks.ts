import { CREATED, type Answer, type Usage } from './answer';
import type { Content } from './content';

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

function openingDelta({ toolCall }: Content): object {
  if (!toolCall) return { role: 'assistant', content: '', refusal: null };
  const { id, name } = toolCall;
  const call = { index: 0, id, type: 'function', function: { name, arguments: '' } };
  return { role: 'assistant', content: null, tool_calls: [call] };
}

function pieceDelta({ toolCall }: Content, piece: string): object {
  return toolCall ? { tool_calls: [{ index: 0, function: { arguments: piece } }] } : { content: piece };
}

/** Where several choices are asked for, their pieces come in turn, as they do from a real upstream. */
function* inTurn(choices: readonly Content[]): Generator<[Content, string]> {
  const longest = choices.reduce((length, { pieces }) => Math.max(length, pieces.length), 0);
  for (let position = 0; position < longest; position += 1) {
    for (const content of choices) {
      const piece = content.pieces[position];
      if (piece !== undefined) yield [content, piece];
    }
  }
}

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
    delta: (index: number, delta: object, tokens = 0, finishReason: Content['finishReason'] = null): Chunk =>
      write([{ index, delta, logprobs: null, finish_reason: finishReason }], tokens),
    usage: (usage: Usage): Chunk => write([], 0, usage),
  };
}

/** The answer as a stream. `usage` is what its last chunk reports, `undefined` for no such chunk. */
export function toStreamChunks(answer: Answer, usage: Usage | undefined): StreamChunks {
  const chunk = chunkWriter(answer, usage !== undefined);
  const endings = answer.choices.map(({ index, finishReason }) => chunk.delta(index, {}, 0, finishReason));
  return {
    opening: answer.choices.map((content) => chunk.delta(content.index, openingDelta(content))),
    pieces: [...inTurn(answer.choices)].map(([content, piece]) =>
      chunk.delta(content.index, pieceDelta(content, piece), 1),
    ),
    closing: usage ? [...endings, chunk.usage(usage)] : endings,
  };
}
