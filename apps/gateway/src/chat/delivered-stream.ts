import { textOfChunk, textOfChunkChoice } from '../upstream/stream-reader';
import type { ChunkChoice } from '../upstream/answers';
import { PiecedText } from './pieced-text';

/** A merged chunk with this much text is not extended, so that no event of a replay is long. */
const MERGED_LENGTH = 16_384;

interface OpenChunk {
  choice: ChunkChoice;
  length: number;
}

/** The part of a stream that was written to the customer's socket. */
export class DeliveredStream {
  /** In the order in which they began. */
  #texts: readonly { index: number; text: PiecedText }[] = [];
  #length = 0;
  #hasSeals = false;
  readonly #finishReasons: string[] = [];
  /** Undefined if it is not kept, or no longer kept. */
  #kept: KeptChunks | undefined;

  /** With `longestKept`, in characters, the stream is repeatable and is kept with all its parts. */
  constructor({ longestKept }: { longestKept: number | undefined }) {
    if (longestKept !== undefined) this.#kept = new KeptChunks(longestKept);
  }

  /** Whether nothing was delivered that the customer would pay for. */
  get isEmpty(): boolean {
    return this.#texts.length === 0;
  }

  /** Whether there were seals of reasoning, which a later request may send in place of the reasoning. */
  get hasSeals(): boolean {
    return this.#hasSeals;
  }

  /** Those of the choices that have ended. */
  get finishReasons(): readonly string[] {
    return this.#finishReasons;
  }

  /** Characters of all texts. */
  get length(): number {
    return this.#length;
  }

  /** Text per choice. */
  texts(): string[] {
    return this.#texts.map(({ text }) => text.text);
  }

  /** The delivered parts in order, merged. Undefined if they are not kept, or were too long to keep. */
  get choices(): ChunkChoice[] | undefined {
    return this.#kept?.choices;
  }

  note(choices: readonly ChunkChoice[]): void {
    for (const choice of choices) {
      const text = textOfChunkChoice(choice);
      this.#length += text.length;
      this.#hasSeals ||= choice.delta.reasoning_details !== undefined;
      if (text !== '') this.#textOf(choice.index).add(text);
      if (choice.finish_reason !== null) this.#finishReasons.push(choice.finish_reason);
    }
    if (this.#kept?.add(choices) === false) this.#kept = undefined;
  }

  #textOf(index: number): PiecedText {
    const known = this.#texts.find((one) => one.index === index);
    if (known) return known.text;
    const text = new PiecedText();
    this.#texts = [...this.#texts, { index, text }];
    return text;
  }
}

/** The parts of a stream in order, merged. */
class KeptChunks {
  readonly choices: ChunkChoice[] = [];
  /** The last chunk of a choice, if more may be merged into it. */
  readonly #open = new Map<number, OpenChunk>();
  readonly #longest: number;
  #length = 0;

  constructor(longest: number) {
    this.#longest = longest;
  }

  /** Returns whether they were kept: too many are not. */
  add(choices: readonly ChunkChoice[]): boolean {
    this.#length += keptLengthOf(choices);
    if (this.#length > this.#longest) return false;
    for (const choice of choices) this.#add(choice);
    return true;
  }

  #add(choice: ChunkChoice): void {
    const { length } = textOfChunkChoice(choice);
    const open = this.#open.get(choice.index);
    // A signature ends the reasoning before it.
    const { logprobs, delta } = choice;
    const isMergeable = choice.finish_reason === null && logprobs == null && !delta.reasoning_details;
    if (open && isMergeable && !choice.begins && open.length < MERGED_LENGTH) {
      append(open.choice, choice);
      open.length += length;
      return;
    }
    const kept = structuredClone(choice);
    this.choices.push(kept);
    if (isMergeable) this.#open.set(choice.index, { choice: kept, length });
    else this.#open.delete(choice.index);
  }
}

/** Approximate length of a kept chunk: its text, and its log probabilities, which are longer. */
function keptLengthOf(choices: readonly ChunkChoice[]): number {
  let length = textOfChunk(choices).length;
  for (const { logprobs, delta } of choices) {
    if (logprobs != null) length += JSON.stringify(logprobs).length;
    if (delta.reasoning_details) length += JSON.stringify(delta.reasoning_details).length;
    if (delta.annotations) length += JSON.stringify(delta.annotations).length;
    for (const call of delta.tool_calls ?? [])
      length += call.extra_content?.google.thought_signature.length ?? 0;
  }
  return length;
}

type Delta = ChunkChoice['delta'];

/** Merges a later chunk of a choice into an earlier one. A client reads the same from the result as from both. */
function append({ delta: into }: ChunkChoice, { delta: next }: ChunkChoice): void {
  if (next.role !== undefined) into.role = next.role;
  if (next.content !== undefined) into.content = joined(into.content, next.content);
  if (next.refusal !== undefined) into.refusal = joined(into.refusal, next.refusal);
  if (next.reasoning_content !== undefined)
    into.reasoning_content = (into.reasoning_content ?? '') + next.reasoning_content;
  for (const call of next.tool_calls ?? []) appendToolCall(into, call);
  if (next.annotations) into.annotations = [...(into.annotations ?? []), ...next.annotations];
}

function joined(former: string | null | undefined, next: string | null): string | null {
  return former == null || next === null ? (next ?? former ?? null) : former + next;
}

/** Only arguments are joined. A repeated name is passed on again. */
function appendToolCall(into: Delta, call: NonNullable<Delta['tool_calls']>[number]): void {
  into.tool_calls ??= [];
  const last = into.tool_calls.at(-1);
  const isContinued =
    last?.index === call.index &&
    call.id === undefined &&
    call.function?.name === undefined &&
    call.extra_content === undefined;
  if (!isContinued) into.tool_calls.push(structuredClone(call));
  else if (call.function?.arguments !== undefined)
    last.function = {
      ...last.function,
      arguments: (last.function?.arguments ?? '') + call.function.arguments,
    };
}
