import { uuidV7 } from '@farebox/ids';
import type { ChatCompletion, ToolCall } from '@farebox/contracts';
import {
  asArguments,
  asFields,
  asFinishReason,
  asIndex,
  asLogprobs,
  asSaidText,
  asString,
  asUsage,
  failureOfEvent,
  type UsageReport,
} from './answer-parts';

export type Choice = ChatCompletion['choices'][number];

/** An answer in one piece, with only what may be passed on. */
export interface WholeAnswer {
  choices: Choice[];
  usage: UsageReport | undefined;
}

/**
 * Reads an upstream's answer. Throws if it is not one: no JSON, an error, no choices, a choice without a finish or
 * with one that says that the upstream gave up.
 */
export function readWholeAnswer(body: Buffer): WholeAnswer {
  const fields = asFields(JSON.parse(body.toString('utf8')));
  if (fields?.['error'] != null) throw failureOfEvent(fields['error']);
  const choices = fields?.['choices'];
  if (!fields || !Array.isArray(choices) || choices.length === 0)
    throw new Error('the answer has no choices');
  return { choices: choices.map(readChoice), usage: asUsage(fields['usage']) };
}

function readChoice(value: unknown, position: number): Choice {
  const choice = asFields(value);
  const message = asFields(choice?.['message']);
  const finishReason = asFinishReason(choice?.['finish_reason']);
  if (!choice || !message || finishReason === undefined)
    throw new Error('a choice has no message or no finish');
  const toolCalls = readToolCalls(message);
  const { content, refusal, reasoning } = asSaidText(message);
  return {
    index: asIndex(choice['index']) ?? position,
    message: {
      role: 'assistant',
      content: content ?? null,
      refusal: refusal ?? null,
      ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
      ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
    },
    logprobs: asLogprobs(choice['logprobs']),
    finish_reason: finishReason,
  };
}

/** Older servers make one call at most, and name it otherwise. */
function readToolCalls({ tool_calls: calls, function_call: only }: Record<string, unknown>): ToolCall[] {
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
export function newToolCallId(): string {
  return `call_${uuidV7().replaceAll('-', '')}`;
}

/** Every text of a choice that the customer pays for. */
export function textsOf({ message }: Choice): string[] {
  const calls = message.tool_calls ?? [];
  return [
    message.content ?? '',
    message.refusal ?? '',
    message.reasoning_content ?? '',
    ...calls.flatMap((call) => [call.function.name, call.function.arguments]),
  ].filter((text) => text !== '');
}
