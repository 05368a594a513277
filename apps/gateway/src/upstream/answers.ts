import { isUtf8 } from 'node:buffer';
import type { Upstream } from '@farebox/catalog';
import { uuidV7 } from '@farebox/auth';
import type { ChatCompletion, ChatCompletionChunk, ChatCompletionRequest, ToolCall } from '@farebox/api';
import { readJsonText, type WrittenJson } from '@farebox/flow';
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
} from './answer-parts';
import { failureOfEvent } from './failed-answers';
import { toChatAnswer } from './messages-answers';
import { toChatAnswerOfResponse } from './responses-answers';
import type { BegunMessage, SaidPart } from './said-order';
import { writtenArguments } from './tool-arguments';
import type { UsageReport } from './usage/report';
import { usageOf } from './usage/usage-reader';

/** `order`: set if it differs from the usual one. */
export type Choice = ChatCompletion['choices'][number] & { order?: readonly SaidPart[] };

/** One choice of a stream event. `begins`: its text begins a message of its own. */
export type ChunkChoice = ChatCompletionChunk['choices'][number] & { begins?: BegunMessage };

/** A non-streamed response with only the fields that may be passed on. */
export interface WholeAnswer {
  choices: Choice[];
  usage: UsageReport | undefined;
  /** The raw JSON of its long strings, if the response is long. */
  written?: WrittenJson;
}

interface AnswerReading {
  /** The wire of the server. */
  wire?: Upstream['wire'];
  /** Stop sequences of the request. Only one of these is reported as the end of a text. */
  stops?: readonly string[];
}

/**
 * Reads an upstream's response. Throws if it is not a completion: no JSON, an error, no choices, or a choice
 * whose finish is missing or means that the upstream gave up.
 */
export function readWholeAnswer(body: Buffer, reading: AnswerReading = {}): WholeAnswer {
  return toWholeAnswer(JSON.parse(body.toString('utf8')), undefined, reading);
}

/** `readWholeAnswer` of a long response, in turns of the event loop. */
export async function readLongAnswer(body: Buffer, reading: AnswerReading = {}): Promise<WholeAnswer> {
  const { value, written } = await readJsonText(body).catch((error: unknown) => {
    if (isUtf8(body)) throw error;
    return readJsonText(Buffer.from(body.toString('utf8')));
  });
  return { ...toWholeAnswer(value, written, reading), ...(written && { written }) };
}

const TO_CHAT: Readonly<
  Record<Upstream['wire'], (value: unknown, written: WrittenJson | undefined) => unknown>
> = {
  chat: (value) => value,
  responses: toChatAnswerOfResponse,
  messages: toChatAnswer,
};

function toWholeAnswer(
  value: unknown,
  written: WrittenJson | undefined,
  { wire = 'chat', stops = [] }: AnswerReading,
): WholeAnswer {
  const fields = asFields(TO_CHAT[wire](value, written));
  if (fields?.['error'] != null) throw failureOfEvent(fields['error']);
  const choices = fields?.['choices'];
  if (!fields || !Array.isArray(choices) || choices.length === 0)
    throw new Error('the answer has no choices');
  return {
    choices: inOrder(choices.map((choice, i) => readChoice(choice, i, { wire, stops, written }))).map(
      (choice) => withPages(choice, fields),
    ),
    usage: usageOf(value, wire),
  };
}

/** Adds the pages to a choice without citations of its own. */
function withPages(choice: Choice, fields: Record<string, unknown>): Choice {
  const { message } = choice;
  if (message.annotations || (fields['search_results'] == null && fields['citations'] == null)) return choice;
  const annotations = asPages(fields, message.content ?? '');
  return annotations.length === 0 ? choice : { ...choice, message: { ...message, annotations } };
}

/**
 * Numbers choices from 0, as clients expect: some servers count from 1, or give every choice the same number.
 */
function inOrder(choices: Choice[]): Choice[] {
  if (choices.length > 1) choices.sort((one, other) => one.index - other.index);
  for (const [position, choice] of choices.entries()) choice.index = position;
  return choices;
}

interface ChoiceReading {
  wire: Upstream['wire'];
  stops: readonly string[];
  written: WrittenJson | undefined;
}

function readChoice(value: unknown, position: number, { wire, stops, written }: ChoiceReading): Choice {
  const choice = asFields(value);
  const message = asFields(choice?.['message']);
  const finishReason = asFinishReason(choice?.['finish_reason']);
  if (!choice || !message || finishReason === undefined)
    throw new Error('a choice has no message or no finish');
  const toolCalls = readToolCalls(message);
  const { content, refusal, reasoning } = readDeltaText(message, written);
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
  // Only our own conversion from another wire sets it, never a server.
  if (wire !== 'chat' && choice['order'] !== undefined) read.order = choice['order'] as SaidPart[];
  return read;
}

/** The stop sequences of a request. */
export function stopsOf({ stop }: Pick<ChatCompletionRequest, 'stop'>): readonly string[] {
  return typeof stop === 'string' ? [stop] : (stop ?? []);
}

/** Our own name for it, vLLM's and SGLang's. */
const STOP_FIELDS = ['stop_sequence', 'stop_reason', 'matched_stop'];

/** Reports a stop sequence only if the customer sent it. */
export function stopSequenceOf(
  choice: Record<string, unknown>,
  stops: readonly string[],
): string | undefined {
  if (stops.length === 0) return undefined;
  const said = STOP_FIELDS.map((field) => asString(choice[field]));
  return said.find((text) => text !== undefined && stops.includes(text));
}

/** Older servers make at most one call and use another field for it. */
function readToolCalls({ tool_calls: calls, function_call: only }: Record<string, unknown>): ToolCall[] {
  if (calls == null && only == null) return [];
  const entries = Array.isArray(calls) ? calls.map(asFields) : [];
  if (entries.length === 0) entries.push({ function: only });
  return entries.flatMap((entry) => {
    const called = asFields(entry?.['function']);
    const name = asString(called?.['name']);
    if (name === undefined) return [];
    const extra = asExtraContent(entry?.['extra_content']);
    const call = { name, arguments: writtenArguments(asArguments(called?.['arguments'])) };
    return [
      {
        id: newToolCallId(),
        type: 'function' as const,
        ...(extra && { extra_content: extra }),
        function: call,
      },
    ];
  });
}

/** Tool calls get ids of the service, like every other id. */
export function newToolCallId(): string {
  return `call_${uuidV7().replaceAll('-', '')}`;
}

/** Every text of a choice that the customer pays for. */
export function textsOf({ message }: Choice): string[] {
  const texts = [message.content ?? '', message.refusal ?? '', message.reasoning_content ?? ''];
  for (const { function: called } of message.tool_calls ?? []) texts.push(called.name, called.arguments);
  return texts.filter((text) => text !== '');
}

/** `textsOf` of every choice. Runs for each response, so it avoids V8's slow `flatMap`. */
export function textsOfAll(choices: readonly Choice[]): string[] {
  const texts: string[] = [];
  for (const choice of choices) texts.push(...textsOf(choice));
  return texts;
}
