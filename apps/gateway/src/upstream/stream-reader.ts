import {
  asAnnotations,
  asArguments,
  asExtraContent,
  asFields,
  asFinishReason,
  asIndex,
  asLogprobs,
  asPages,
  asReasoningDetails,
  readDeltaText,
  asString,
  MOST_ANNOTATIONS,
} from './answer-parts';
import { failureOfEvent } from './failed-answers';
import { newToolCallId, stopSequenceOf, type ChunkChoice } from './answers';
import { asBegun } from './said-order';
import { TextEvents } from './text-events';
import { NO_ARGUMENTS } from './tool-arguments';
import { MAX_TOOL_CALL_INDEX, ToolCallPieces } from './tool-call-pieces';
import type { UsageReport } from './usage/report';
import { UsageReader } from './usage/usage-reader';

type Delta = ChunkChoice['delta'];
type DeltaToolCall = NonNullable<Delta['tool_calls']>[number];

/** The content of one event of an upstream's stream. */
type StreamEvent =
  { kind: 'choices'; choices: ChunkChoice[]; hasUsage: boolean } | { kind: 'nothing' } | { kind: 'done' };

/**
 * Reads the events of one stream, keeps only what may be passed on, and tracks whether the stream is
 * complete. `read` throws if an event is invalid: no JSON, an error of the upstream, or a finish that means
 * it gave up.
 */
export class StreamReader {
  readonly #choicesExpected: number;
  readonly #stops: readonly string[];
  /** The choices that have begun. */
  #choices: readonly ReadChoice[] = [];
  #saysDone = false;
  #hasFinish = false;
  readonly #textEvents = new TextEvents();
  readonly #usage = new UsageReader('chat');

  constructor(choicesExpected: number, stops: readonly string[] = []) {
    this.#choicesExpected = choicesExpected;
    this.#stops = stops;
  }

  /**
   * Whether every choice has its finish reason. A stream that ends before that has failed. One that reports
   * its end needs only the choices that it began, because some servers ignore `n`.
   */
  get isFinished(): boolean {
    const begun = this.#saysDone ? Math.max(1, this.#choices.length) : this.#choicesExpected;
    return this.#choices.filter(({ isFinished }) => isFinished).length >= begun;
  }

  /** The usage reported so far. */
  get usage(): UsageReport | undefined {
    return this.#usage.report;
  }

  read(data: string): StreamEvent {
    if (data === '[DONE]') {
      this.#saysDone = true;
      return { kind: 'done' };
    }
    const said = this.#hasFinish ? undefined : this.#textEvents.read(data);
    if (said) return { kind: 'choices', choices: [said], hasUsage: false };
    const event = this.#parse(data);
    const only = onlyChoiceOf(event);
    if (only) this.#textEvents.learn(data, only, (probe) => onlyChoiceOf(this.#parse(probe)));
    return event;
  }

  #parse(data: string): StreamEvent {
    const fields = asFields(JSON.parse(data));
    if (!fields) throw new Error('an event of the stream is not an object');
    const error = fields['error'] ?? (fields['object'] === 'error' ? fields : undefined);
    if (error != null) throw failureOfEvent(error);
    const hasUsage = this.#usage.note(fields);
    const entries: unknown = fields['choices'];
    if (!Array.isArray(entries) || entries.length === 0) return { kind: 'nothing' };
    const choices: ChunkChoice[] = [];
    for (const entry of entries) {
      const choice = indexOf(entry) < this.#choicesExpected ? this.#readChoice(entry) : undefined;
      if (choice?.finish_reason != null) this.#tellPages(choice, fields);
      if (choice) choices.push(choice);
    }
    return choices.length === 0 ? { kind: 'nothing' } : { kind: 'choices', choices, hasUsage };
  }

  /**
   * Servers repeat the pages in each event; they are sent once, at the end, because their place in the text
   * is unknown.
   */
  #tellPages({ index, delta }: ChunkChoice, fields: Record<string, unknown>): void {
    if (this.#choiceOf(index).annotations > 0 || delta.annotations) return;
    const pages = asPages(fields, '');
    if (pages.length > 0) delta.annotations = pages;
  }

  /** Ignores a choice that has its finish: some servers repeat it with the usage. */
  #readChoice(value: unknown): ChunkChoice | undefined {
    const fields = asFields(value);
    const index = indexOf(value);
    const read = this.#choiceOf(index);
    const finishReason = asFinishReason(fields?.['finish_reason']);
    if (read.isFinished) return undefined;
    const delta = this.#readDelta(read, asFields(fields?.['delta']) ?? {});
    if (finishReason !== undefined) {
      read.isFinished = this.#hasFinish = true;
      completeCalls(read, delta);
    }
    const finish = finishReason ?? null;
    const choice: ChunkChoice =
      fields?.['logprobs'] == null
        ? { index, delta, finish_reason: finish }
        : { index, delta, logprobs: asLogprobs(fields['logprobs']), finish_reason: finish };
    const stopSequence = fields && stopSequenceOf(fields, this.#stops);
    if (stopSequence !== undefined) choice.stop_sequence = stopSequence;
    const begins = asBegun(fields?.['begins']);
    if (begins) choice.begins = begins;
    return choice;
  }

  #readDelta(read: ReadChoice, fields: Record<string, unknown>): Delta {
    const delta: Delta = {};
    if (fields['role'] === 'assistant') delta.role = 'assistant';
    const { content, refusal, reasoning } = readDeltaText(fields);
    if (content !== undefined) delta.content = content;
    if (refusal !== undefined) delta.refusal = refusal;
    if (reasoning !== undefined) delta.reasoning_content = reasoning;
    const details = asReasoningDetails(fields['reasoning_details']);
    if (details.length > 0) delta.reasoning_details = details;
    const { tool_calls: calls, function_call: only } = fields;
    // Older servers make at most one call and use another field for it.
    const pieces: unknown[] = Array.isArray(calls)
      ? calls
      : only == null
        ? []
        : [{ index: 0, function: only }];
    if (pieces.length > 0) {
      const called = pieces.flatMap((piece) => this.#readToolCall(read, piece));
      if (called.length > 0) delta.tool_calls = called;
    }
    if (fields['annotations'] != null) this.#readAnnotations(read, fields['annotations'], delta);
    return delta;
  }

  #readAnnotations(read: ReadChoice, value: unknown, delta: Delta): void {
    const annotations = asAnnotations(value).slice(0, MOST_ANNOTATIONS - read.annotations);
    if (annotations.length === 0) return;
    read.annotations += annotations.length;
    delta.annotations = annotations;
  }

  #choiceOf(index: number): ReadChoice {
    const known = this.#choices.find((choice) => choice.index === index);
    if (known) return known;
    const read = { index, isFinished: false, annotations: 0, toolCalls: undefined };
    this.#choices = [...this.#choices, read];
    return read;
  }

  #readToolCall(read: ReadChoice, value: unknown): DeltaToolCall[] {
    const calls = (read.toolCalls ??= new ToolCallPieces());
    const fields = asFields(value);
    const called = asFields(fields?.['function']);
    const args = asArguments(called?.['arguments']);
    const { index, isFirst, name } = calls.place({
      index: asIndex(fields?.['index']),
      id: asString(fields?.['id']),
      name: asString(called?.['name']),
      args: args ?? '',
    });
    if (index > MAX_TOOL_CALL_INDEX) return [];
    const extra = asExtraContent(fields?.['extra_content']);
    return [
      {
        index,
        ...(isFirst ? { id: newToolCallId(), type: 'function' as const } : {}),
        ...(extra && { extra_content: extra }),
        function: {
          ...(name === undefined ? {} : { name }),
          ...(args === undefined ? {} : { arguments: args }),
        },
      },
    ];
  }
}

/** The state of a choice that has begun. */
interface ReadChoice {
  index: number;
  isFinished: boolean;
  /** Number of annotations so far. */
  annotations: number;
  toolCalls: ToolCallPieces | undefined;
}

/** A call of a tool without parameters may come without arguments, but clients parse them as JSON. */
function completeCalls({ toolCalls }: ReadChoice, delta: Delta): void {
  for (const index of toolCalls?.withoutArguments() ?? []) {
    const piece = delta.tool_calls?.findLast((one) => one.index === index);
    if (piece) piece.function = { ...piece.function, arguments: NO_ARGUMENTS };
    else (delta.tool_calls ??= []).push({ index, function: { arguments: NO_ARGUMENTS } });
  }
}

/** The choice of an event with one choice and nothing else. */
function onlyChoiceOf(event: StreamEvent): ChunkChoice | undefined {
  if (event.kind !== 'choices' || event.hasUsage) return undefined;
  return event.choices.length === 1 ? event.choices[0] : undefined;
}

const indexOf = (choice: unknown): number => asIndex(asFields(choice)?.['index']) ?? 0;

/** Every text of a chunk that the customer pays for. */
export function textOfChunk(choices: readonly ChunkChoice[]): string {
  let text = '';
  for (const choice of choices) text += textOfChunkChoice(choice);
  return text;
}

export function textOfChunkChoice({ delta }: ChunkChoice): string {
  let text = (delta.content ?? '') + (delta.refusal ?? '') + (delta.reasoning_content ?? '');
  if (delta.tool_calls)
    for (const call of delta.tool_calls)
      text += (call.function?.name ?? '') + (call.function?.arguments ?? '');
  return text;
}
