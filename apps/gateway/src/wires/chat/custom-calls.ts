import type { ChatCompletionChunk, ToolCall } from '@farebox/api';
import { toCustomInput } from '../../upstream/custom-tools';

type ChunkChoice = ChatCompletionChunk['choices'][number];
type CallPiece = NonNullable<ChunkChoice['delta']['tool_calls']>[number];

/** Converts a call of a custom tool to the client's form. */
export function toCustomCall({ id, function: called }: ToolCall): object {
  return { id, type: 'custom', custom: { name: called.name, input: toCustomInput(called.arguments) } };
}

/**
 * Converts streamed function calls to calls of custom tools, whose input is known once all of it has arrived.
 */
export class CustomCalls {
  readonly #names: ReadonlySet<string>;
  /** The arguments so far, by choice and call. */
  readonly #open = new Map<string, string>();

  constructor(names: ReadonlySet<string>) {
    this.#names = names;
  }

  read(choice: ChunkChoice): object {
    const { delta, index, finish_reason: finish } = choice;
    const pieces: object[] = (delta.tool_calls ?? []).flatMap((piece) => this.#piece(index, piece));
    if (finish !== null) pieces.push(...this.#endOf(index));
    if (pieces.length === 0 && !delta.tool_calls) return choice;
    const others = { ...delta };
    delete others.tool_calls;
    return { ...choice, delta: { ...others, ...(pieces.length > 0 && { tool_calls: pieces }) } };
  }

  #piece(choice: number, piece: CallPiece): object[] {
    const { index, function: called } = piece;
    const key = `${String(choice)}.${String(index)}`;
    const before = this.#open.get(key);
    if (before !== undefined) {
      this.#open.set(key, before + (called?.arguments ?? ''));
      return [];
    }
    const name = called?.name ?? '';
    if (!this.#names.has(name)) return [piece];
    this.#open.set(key, called?.arguments ?? '');
    return [
      { index, ...(piece.id !== undefined && { id: piece.id }), type: 'custom', custom: { name, input: '' } },
    ];
  }

  #endOf(choice: number): object[] {
    const prefix = `${String(choice)}.`;
    return [...this.#open.entries()]
      .filter(([key]) => key.startsWith(prefix))
      .map(([key, args]) => {
        this.#open.delete(key);
        return { index: Number(key.slice(prefix.length)), custom: { input: toCustomInput(args) } };
      });
  }
}
