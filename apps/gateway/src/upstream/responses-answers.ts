import type { WrittenJson } from '@farebox/flow';
import { asFields, asString, joined } from './answer-parts';
import { toBegun, unusualOrder, type SaidPart } from './said-order';
import { CLIENT_TOOLS, clientToolOf, type ClientToolName } from './client-tools';
import { sealOfResponses } from './seals';

type Fields = Record<string, unknown>;

/**
 * Converts a Responses response to the chat form that the core reads. Throws if it is not an object.
 * `written`: the raw JSON of long strings.
 */
export function toChatAnswerOfResponse(value: unknown, written?: WrittenJson): object {
  const response = asFields(value);
  if (!response) throw new Error('the answer is not an object');
  if (response['error'] != null) return { error: toChatError(response['error']) };
  const items = itemsOf(response['output']);
  const message = toChatMessage(items, written);
  const choice = {
    index: 0,
    message,
    finish_reason: finishOf(response, 'tool_calls' in message),
    logprobs: logprobsOf(items),
    order: orderOf(items),
  };
  return { choices: [choice] };
}

/** A refusal has a fixed place in chat, so no order is reported for it. */
function orderOf(items: readonly Fields[]): readonly SaidPart[] | undefined {
  let hasText = false;
  const parts = items.map((item): SaidPart[] | undefined => {
    switch (item['type']) {
      case 'reasoning': {
        const { length } = thoughtOf(item);
        const isUnsealed = detailOf(item).length === 0;
        if (isUnsealed) return length === 0 ? [] : [{ kind: 'thought', length, isUnsealed }];
        return [{ kind: 'thought', length }];
      }
      case 'message': {
        const said = itemsOf(item['content']);
        if (said.some(({ refusal }) => refusal != null)) return undefined;
        const length = said.reduce((sum, { text }) => sum + (asString(text)?.length ?? 0), 0);
        const begins = toBegun(item['phase'], hasText);
        hasText ||= length > 0;
        return [{ kind: 'text', length, ...(begins && { begins }) }];
      }
      default:
        return callOf(item).map(() => ({ kind: 'call', length: 0 }));
    }
  });
  return parts.includes(undefined) ? undefined : unusualOrder(parts.flatMap((part) => part ?? []));
}

export const itemsOf = (value: unknown): Fields[] =>
  (Array.isArray(value) ? value : []).map(asFields).filter((item) => item !== undefined);

function toChatMessage(items: readonly Fields[], written: WrittenJson | undefined): object {
  const ofType = (type: string): Fields[] => items.filter((item) => item['type'] === type);
  const parts = ofType('message').flatMap(({ content }) => itemsOf(content));
  const texts = parts.map(({ text }) => asString(text)).filter((text) => text !== undefined);
  const refusals = parts.map(({ refusal }) => asString(refusal)).filter((text) => text !== undefined);
  const thoughts = ofType('reasoning').map(thoughtOf);
  const details = ofType('reasoning').flatMap(detailOf);
  const calls = items.flatMap((item) => callOf(item));
  const annotations = annotationsOf(parts);
  return {
    role: 'assistant',
    content: joined(texts, written) ?? null,
    ...(refusals.length > 0 && { refusal: joined(refusals, written) }),
    ...(thoughts.some((thought) => thought !== '') && {
      reasoning_content: joined(thoughts, written),
    }),
    ...(details.length > 0 && { reasoning_details: details }),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(annotations.length > 0 && { annotations }),
  };
}

/** A model's thoughts, or its summary of them if they are not shown. */
export function thoughtOf({ content, summary }: Fields): string {
  const texts = (value: unknown): string[] => itemsOf(value).flatMap(({ text }) => asString(text) ?? []);
  const thought = texts(content);
  return (thought.length > 0 ? thought : texts(summary)).join('\n\n');
}

export function detailOf({ encrypted_content: encrypted }: Fields): object[] {
  if (typeof encrypted !== 'string' || encrypted === '') return [];
  return [{ type: 'reasoning.encrypted', data: sealOfResponses(encrypted) }];
}

/** The core knows a custom tool as a function that takes its input. */
function callOf(item: Fields): object[] {
  const { type, name, arguments: args, input } = item;
  const known = clientToolOf(type);
  if (known) return [{ type: 'function', function: { name: known, arguments: argumentsOf(known, item) } }];
  if (type === 'function_call') return [{ type: 'function', function: { name, arguments: args } }];
  if (type !== 'custom_tool_call') return [];
  return [{ type: 'function', function: { name, arguments: JSON.stringify({ input }) } }];
}

/** Converts a call of a client-run OpenAI tool to the arguments of a function. */
export function argumentsOf(name: ClientToolName, item: Fields): string {
  return JSON.stringify(item[CLIENT_TOOLS[name].field] ?? {});
}

/** The annotations with their positions in the joined text of all parts. */
function annotationsOf(parts: readonly Fields[]): Fields[] {
  let before = 0;
  return parts.flatMap(({ annotations, text }) => {
    const start = before;
    before += asString(text)?.length ?? 0;
    return itemsOf(annotations).map((annotation) => shifted(annotation, start));
  });
}

export function shifted(annotation: Fields, by: number): Fields {
  const { start_index: start, end_index: end } = annotation;
  const moved = (at: unknown): unknown => (typeof at === 'number' ? at + by : at);
  return { ...annotation, start_index: moved(start), end_index: moved(end) };
}

function logprobsOf(items: readonly Fields[]): object | null {
  const content = items.flatMap((item) =>
    item['type'] === 'message' ? itemsOf(item['content']).flatMap(({ logprobs }) => itemsOf(logprobs)) : [],
  );
  return content.length > 0 ? { content, refusal: null } : null;
}

const INCOMPLETE = new Map<unknown, string>([
  ['max_output_tokens', 'length'],
  ['content_filter', 'content_filter'],
]);

/** Null if the server gave up or does not say how the response ended. */
export function finishOf(response: Fields, hasCalls: boolean): string | null {
  const { status, incomplete_details: details } = response;
  if (status === 'incomplete') return INCOMPLETE.get(asFields(details)?.['reason']) ?? 'length';
  if (status === 'cancelled' || status === 'failed') return 'error';
  return status === 'completed' ? (hasCalls ? 'tool_calls' : 'stop') : null;
}

/** The statuses of these errors when they come in a stream or under status 200. */
const STATUS_OF_ERROR = new Map<unknown, number>([
  ['invalid_request_error', 400],
  ['invalid_prompt', 400],
  ['context_length_exceeded', 400],
  ['image_content_policy_violation', 400],
  ['content_filter', 400],
  ['rate_limit_exceeded', 429],
  ['insufficient_quota', 429],
]);

export function toChatError(value: unknown): object {
  const error = asFields(value);
  const { code, type } = error ?? {};
  const status = STATUS_OF_ERROR.get(code) ?? STATUS_OF_ERROR.get(type) ?? 500;
  return { message: asString(error?.['message']) ?? '', type: asString(code) ?? type, code: status };
}
