import { uuidV7 } from '@farebox/ids';
import type { ChatCompletion, ToolCall } from '@farebox/contracts';
import {
  asFields,
  asFinishReason,
  asIndex,
  asLogprobs,
  asString,
  asUsage,
  type ReportedUsage,
} from './answer-parts';

export type Choice = ChatCompletion['choices'][number];

/** An answer in one piece, with only what may be passed on. */
export interface WholeAnswer {
  choices: Choice[];
  usage: ReportedUsage | undefined;
}

/** Reads an upstream's answer. Throws where it is not one: no JSON, no choices, a choice without a finish. */
export function readWholeAnswer(body: Buffer): WholeAnswer {
  const fields = asFields(JSON.parse(body.toString('utf8')));
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
  const toolCalls = readToolCalls(message['tool_calls']);
  const reasoning = asString(message['reasoning_content']);
  return {
    index: asIndex(choice['index']) ?? position,
    message: {
      role: 'assistant',
      content: asString(message['content']) ?? null,
      refusal: asString(message['refusal']) ?? null,
      ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
      ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
    },
    logprobs: asLogprobs(choice['logprobs']),
    finish_reason: finishReason,
  };
}

function readToolCalls(value: unknown): ToolCall[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((entry) => {
    const called = asFields(asFields(entry)?.['function']);
    const name = asString(called?.['name']);
    if (name === undefined) return [];
    const call = { name, arguments: asString(called?.['arguments']) ?? '' };
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
