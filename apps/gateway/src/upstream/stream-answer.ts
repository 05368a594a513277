import type { ChatCompletionChunk } from '@farebox/contracts';
import {
  asFields,
  asFinishReason,
  asIndex,
  asLogprobs,
  asString,
  asUsage,
  type ReportedUsage,
} from './answer-parts';
import { newToolCallId } from './whole-answer';

export type ChunkChoice = ChatCompletionChunk['choices'][number];
type Delta = ChunkChoice['delta'];
type DeltaToolCall = NonNullable<Delta['tool_calls']>[number];

/** What one event of an upstream's stream says. */
export type StreamEvent =
  | { kind: 'choices'; choices: ChunkChoice[]; usage: ReportedUsage | undefined }
  | { kind: 'nothing'; usage: ReportedUsage | undefined }
  | { kind: 'done' };

const MAX_TOOL_CALL_INDEX = 1_024;

/**
 * Reads the events of one stream, with only what may be passed on, and knows whether it came to its end.
 * `read` throws where an event is not one: no JSON, or an error of the upstream's.
 */
export class StreamReader {
  readonly #choicesExpected: number;
  readonly #finished = new Set<number>();
  readonly #toolCallsBegun = new Set<string>();

  constructor(choicesExpected: number) {
    this.#choicesExpected = choicesExpected;
  }

  /** Whether every choice has its finish reason. A stream that ends before that has failed. */
  get isFinished(): boolean {
    return this.#finished.size >= this.#choicesExpected;
  }

  read(data: string): StreamEvent {
    if (data === '[DONE]') return { kind: 'done' };
    const fields = asFields(JSON.parse(data));
    if (!fields || fields['error'] != null)
      throw new Error('an event of the stream is an error or no object');
    const usage = asUsage(fields['usage']);
    const entries: unknown = fields['choices'];
    if (!Array.isArray(entries) || entries.length === 0) return { kind: 'nothing', usage };
    return { kind: 'choices', choices: entries.map((entry) => this.#readChoice(entry)), usage };
  }

  #readChoice(value: unknown): ChunkChoice {
    const fields = asFields(value);
    const index = asIndex(fields?.['index']) ?? 0;
    const finishReason = asFinishReason(fields?.['finish_reason']);
    if (finishReason !== undefined) this.#finished.add(index);
    return {
      index,
      delta: this.#readDelta(index, asFields(fields?.['delta']) ?? {}),
      ...(fields?.['logprobs'] == null ? {} : { logprobs: asLogprobs(fields['logprobs']) }),
      finish_reason: finishReason ?? null,
    };
  }

  #readDelta(choiceIndex: number, fields: Record<string, unknown>): Delta {
    const delta: Delta = {};
    if (fields['role'] === 'assistant') delta.role = 'assistant';
    const content = asString(fields['content']);
    if (content !== undefined) delta.content = content;
    const refusal = asString(fields['refusal']);
    if (refusal !== undefined) delta.refusal = refusal;
    const reasoning = asString(fields['reasoning_content']);
    if (reasoning !== undefined) delta.reasoning_content = reasoning;
    const calls: unknown = fields['tool_calls'];
    if (Array.isArray(calls)) delta.tool_calls = calls.map((call) => this.#readToolCall(choiceIndex, call));
    return delta;
  }

  #readToolCall(choiceIndex: number, value: unknown): DeltaToolCall {
    const fields = asFields(value);
    const index = asIndex(fields?.['index']) ?? 0;
    if (index > MAX_TOOL_CALL_INDEX) throw new RangeError('too many tool calls');
    const key = `${String(choiceIndex)}/${String(index)}`;
    const isFirst = !this.#toolCallsBegun.has(key);
    this.#toolCallsBegun.add(key);
    const called = asFields(fields?.['function']);
    const name = asString(called?.['name']);
    const args = asString(called?.['arguments']);
    return {
      index,
      ...(isFirst ? { id: newToolCallId(), type: 'function' as const } : {}),
      function: {
        ...(name === undefined ? {} : { name }),
        ...(args === undefined ? {} : { arguments: args }),
      },
    };
  }
}

/** Every text of a chunk that the customer pays for. */
export function textOfChunk(choices: readonly ChunkChoice[]): string {
  let text = '';
  for (const { delta } of choices) {
    text += (delta.content ?? '') + (delta.refusal ?? '') + (delta.reasoning_content ?? '');
    for (const call of delta.tool_calls ?? [])
      text += (call.function?.name ?? '') + (call.function?.arguments ?? '');
  }
  return text;
}
