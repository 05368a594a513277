import { isUtf8 } from 'node:buffer';
import type { Upstream } from '@farebox/catalog';
import { uuidV7 } from '@farebox/auth';
import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatCompletionRequest,
  ToolCall,
} from '@farebox/contracts';
import { readJsonText, type WrittenStrings } from '@farebox/http';
import {
  asAnnotations,
  asArguments,
  asFields,
  asFinishReason,
  asIndex,
  asLogprobs,
  asReasoningDetails,
  asSaidText,
  asString,
  asUsage,
  failureOfEvent,
  MOST_ANNOTATIONS,
  type UsageReport,
} from './answer-parts';
import { toChatAnswer } from './messages-answers';
import { TextEvents } from './text-events';

export type Choice = ChatCompletion['choices'][number];

/** A response in one piece, with only what may be passed on. */
export interface WholeAnswer {
  choices: Choice[];
  usage: UsageReport | undefined;
  /** How its long strings were written, if it is long. */
  written?: WrittenStrings;
}

interface AnswerReading {
  /** What the server speaks. */
  wire?: Upstream['wire'];
  /** Of the request: only one of these is told to have ended a text. */
  stops?: readonly string[];
}

/**
 * Reads an upstream's response. Throws if it is not one: no JSON, an error, no choices, a choice without a finish or
 * with one that says that the upstream gave up.
 */
export function readWholeAnswer(body: Buffer, reading: AnswerReading = {}): WholeAnswer {
  return toWholeAnswer(JSON.parse(body.toString('utf8')), undefined, reading);
}

/** `readWholeAnswer` of a long one, in turns of the event loop. */
export async function readLongAnswer(body: Buffer, reading: AnswerReading = {}): Promise<WholeAnswer> {
  const { value, written } = await readJsonText(body, { cutsLists: true }).catch((error: unknown) => {
    if (isUtf8(body)) throw error;
    return readJsonText(Buffer.from(body.toString('utf8')), { cutsLists: true });
  });
  return { ...toWholeAnswer(value, written, reading), ...(written && { written }) };
}

function toWholeAnswer(
  value: unknown,
  written: WrittenStrings | undefined,
  { wire = 'chat', stops = [] }: AnswerReading,
): WholeAnswer {
  const fields = asFields(wire === 'messages' ? toChatAnswer(value, written) : value);
  if (fields?.['error'] != null) throw failureOfEvent(fields['error']);
  const choices = fields?.['choices'];
  if (!fields || !Array.isArray(choices) || choices.length === 0)
    throw new Error('the answer has no choices');
  return {
    choices: inOrder(choices.map((choice, i) => readChoice(choice, i, { stops, written }))),
    usage: asUsage(fields['usage']),
  };
}

/** Numbered from 0 as a client expects: some servers count from 1, or give every choice the same number. */
function inOrder(choices: Choice[]): Choice[] {
  if (choices.length > 1) choices.sort((one, other) => one.index - other.index);
  for (const [position, choice] of choices.entries()) choice.index = position;
  return choices;
}

interface ChoiceReading {
  stops: readonly string[];
  written: WrittenStrings | undefined;
}

function readChoice(value: unknown, position: number, { stops, written }: ChoiceReading): Choice {
  const choice = asFields(value);
  const message = asFields(choice?.['message']);
  const finishReason = asFinishReason(choice?.['finish_reason']);
  if (!choice || !message || finishReason === undefined)
    throw new Error('a choice has no message or no finish');
  const toolCalls = readToolCalls(message);
  const { content, refusal, reasoning } = asSaidText(message, written);
  const details = asReasoningDetails(message['reasoning_details']);
  const annotations = asAnnotations(message['annotations']);
  const said: Choice['message'] = { role: 'assistant', content: content ?? null, refusal: refusal ?? null };
  if (reasoning !== undefined) said.reasoning_content = reasoning;
  if (details.length > 0) said.reasoning_details = details;
  if (toolCalls.length > 0) said.tool_calls = toolCalls;
  if (annotations.length > 0) said.annotations = annotations;
  const index = asIndex(choice['index']) ?? position;
  const logprobs = asLogprobs(choice['logprobs']);
  const read: Choice = { index, message: said, logprobs, finish_reason: finishReason };
  const stopSequence = stopSequenceOf(choice, stops);
  if (stopSequence !== undefined) read.stop_sequence = stopSequence;
  return read;
}

/** What a request says that its text ends at. */
export function stopsOf({ stop }: Pick<ChatCompletionRequest, 'stop'>): readonly string[] {
  return typeof stop === 'string' ? [stop] : (stop ?? []);
}

/** Our own name of it, vLLM's and SGLang's. */
const STOP_FIELDS = ['stop_sequence', 'stop_reason', 'matched_stop'];

/** Only one that the customer has sent is told to them. */
function stopSequenceOf(choice: Record<string, unknown>, stops: readonly string[]): string | undefined {
  if (stops.length === 0) return undefined;
  const said = STOP_FIELDS.map((field) => asString(choice[field]));
  return said.find((text) => text !== undefined && stops.includes(text));
}

/** Older servers make one call at most, and name it otherwise. */
function readToolCalls({ tool_calls: calls, function_call: only }: Record<string, unknown>): ToolCall[] {
  if (calls == null && only == null) return [];
  const functions = Array.isArray(calls) ? calls.map((entry) => asFields(entry)?.['function']) : [];
  if (functions.length === 0) functions.push(only);
  return functions.flatMap((entry) => {
    const called = asFields(entry);
    const name = asString(called?.['name']);
    if (name === undefined) return [];
    const call = { name, arguments: asArguments(called?.['arguments']) ?? '' };
    return [{ id: newToolCallId(), type: 'function' as const, function: call }];
  });
}

/** Ids of tool calls are the service's own, like every other id. */
function newToolCallId(): string {
  return `call_${uuidV7().replaceAll('-', '')}`;
}

/** Every text of a choice that the customer pays for. */
export function textsOf({ message }: Choice): string[] {
  const texts = [message.content ?? '', message.refusal ?? '', message.reasoning_content ?? ''];
  for (const { function: called } of message.tool_calls ?? []) texts.push(called.name, called.arguments);
  return texts.filter((text) => text !== '');
}

/** `textsOf` of every choice. V8's `flatMap` is slow, and this is asked for each response. */
export function textsOfAll(choices: readonly Choice[]): string[] {
  const texts: string[] = [];
  for (const choice of choices) texts.push(...textsOf(choice));
  return texts;
}

export type ChunkChoice = ChatCompletionChunk['choices'][number];
type Delta = ChunkChoice['delta'];
type DeltaToolCall = NonNullable<Delta['tool_calls']>[number];

/** What one event of an upstream's stream says. */
type StreamEvent =
  | { kind: 'choices'; choices: ChunkChoice[]; usage: UsageReport | undefined }
  | { kind: 'nothing'; usage: UsageReport | undefined }
  | { kind: 'done' };

const MAX_TOOL_CALL_INDEX = 1_024;

/**
 * Reads the events of one stream, with only what may be passed on, and knows whether it came to its end.
 * `read` throws if an event is not one: no JSON, an error of the upstream's, or a finish that says that it gave up.
 */
export class StreamReader {
  readonly #choicesExpected: number;
  readonly #stops: readonly string[];
  /** Those that have begun. */
  #choices: readonly ReadChoice[] = [];
  #saysDone = false;
  readonly #textEvents = new TextEvents();

  constructor(choicesExpected: number, stops: readonly string[] = []) {
    this.#choicesExpected = choicesExpected;
    this.#stops = stops;
  }

  /**
   * Whether every choice has its finish reason. A stream that ends before that has failed; one that says that it is done
   * has only those choices that it began, for some servers know no `n`.
   */
  get isFinished(): boolean {
    const begun = this.#saysDone ? Math.max(1, this.#choices.length) : this.#choicesExpected;
    return this.#choices.filter(({ isFinished }) => isFinished).length >= begun;
  }

  read(data: string): StreamEvent {
    if (data === '[DONE]') {
      this.#saysDone = true;
      return { kind: 'done' };
    }
    const said = this.#textEvents.read(data);
    if (said) return { kind: 'choices', choices: [said], usage: undefined };
    const event = this.#parse(data);
    const only = onlyChoiceOf(event);
    if (only) this.#textEvents.learn(data, only, (probe) => onlyChoiceOf(this.#parse(probe)));
    return event;
  }

  #parse(data: string): StreamEvent {
    const fields = asFields(JSON.parse(data));
    if (!fields) throw new Error('an event of the stream is no object');
    const error = fields['error'] ?? (fields['object'] === 'error' ? fields : undefined);
    if (error != null) throw failureOfEvent(error);
    const usage = asUsage(fields['usage']);
    const entries: unknown = fields['choices'];
    if (!Array.isArray(entries) || entries.length === 0) return { kind: 'nothing', usage };
    const asked = entries.filter((entry) => indexOf(entry) < this.#choicesExpected);
    return { kind: 'choices', choices: asked.map((entry) => this.#readChoice(entry)), usage };
  }

  #readChoice(value: unknown): ChunkChoice {
    const fields = asFields(value);
    const index = indexOf(value);
    const read = this.#choiceOf(index);
    const finishReason = asFinishReason(fields?.['finish_reason']);
    if (finishReason !== undefined) read.isFinished = true;
    const delta = this.#readDelta(read, asFields(fields?.['delta']) ?? {});
    const finish = finishReason ?? null;
    const choice: ChunkChoice =
      fields?.['logprobs'] == null
        ? { index, delta, finish_reason: finish }
        : { index, delta, logprobs: asLogprobs(fields['logprobs']), finish_reason: finish };
    const stopSequence = fields && stopSequenceOf(fields, this.#stops);
    if (stopSequence !== undefined) choice.stop_sequence = stopSequence;
    return choice;
  }

  #readDelta(read: ReadChoice, fields: Record<string, unknown>): Delta {
    const delta: Delta = {};
    if (fields['role'] === 'assistant') delta.role = 'assistant';
    const { content, refusal, reasoning } = asSaidText(fields);
    if (content !== undefined) delta.content = content;
    if (refusal !== undefined) delta.refusal = refusal;
    if (reasoning !== undefined) delta.reasoning_content = reasoning;
    const details = asReasoningDetails(fields['reasoning_details']);
    if (details.length > 0) delta.reasoning_details = details;
    const { tool_calls: calls, function_call: only } = fields;
    // Older servers make one call at most, and name it otherwise.
    const pieces: unknown[] = Array.isArray(calls)
      ? calls
      : only == null
        ? []
        : [{ index: 0, function: only }];
    if (pieces.length > 0) delta.tool_calls = pieces.map((piece) => this.#readToolCall(read, piece));
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

  #readToolCall(read: ReadChoice, value: unknown): DeltaToolCall {
    const calls = (read.toolCalls ??= new ToolCallsOfChoice());
    const fields = asFields(value);
    const called = asFields(fields?.['function']);
    const name = asString(called?.['name']);
    const args = asArguments(called?.['arguments']);
    const { index, isFirst } = calls.place(asIndex(fields?.['index']), asString(fields?.['id']), name);
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

/** What is known of a choice that has begun. */
interface ReadChoice {
  index: number;
  isFinished: boolean;
  /** How many there were so far. */
  annotations: number;
  toolCalls: ToolCallsOfChoice | undefined;
}

/** The choice of an event that has one, and nothing beside it. */
function onlyChoiceOf(event: StreamEvent): ChunkChoice | undefined {
  if (event.kind !== 'choices' || event.usage !== undefined) return undefined;
  return event.choices.length === 1 ? event.choices[0] : undefined;
}

const indexOf = (choice: unknown): number => asIndex(asFields(choice)?.['index']) ?? 0;

/** Tells the calls of a choice apart whose pieces come mixed, some of them without saying which call they are of. */
class ToolCallsOfChoice {
  readonly #begun = new Set<number>();
  readonly #indexOfId = new Map<string, number>();
  #last = -1;

  /** A piece without an index is of the call that has its id; without an id too, a name begins the next call. */
  place(
    index: number | undefined,
    id: string | undefined,
    name: string | undefined,
  ): { index: number; isFirst: boolean } {
    const placed = index ?? this.#indexWithout(id, name);
    if (placed > MAX_TOOL_CALL_INDEX) throw new RangeError('too many tool calls');
    const isFirst = !this.#begun.has(placed);
    this.#begun.add(placed);
    if (id) this.#indexOfId.set(id, placed);
    this.#last = placed;
    return { index: placed, isFirst };
  }

  #indexWithout(id: string | undefined, name: string | undefined): number {
    const known = id ? this.#indexOfId.get(id) : undefined;
    if (known !== undefined) return known;
    const isNext = id ? true : name !== undefined;
    return isNext || this.#last < 0 ? Math.max(-1, ...this.#begun) + 1 : this.#last;
  }
}

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
