import type { WrittenJson } from '@farebox/flow';
import { asFields, asString, joined } from './answer-parts';
import { unusualOrder, type SaidPart } from './said-order';
import { toArgumentsText } from './tool-arguments';

type Fields = Record<string, unknown>;

/**
 * Converts a Messages response to the chat form that the core reads. Throws if it is not an object.
 * `written`: the raw JSON of long strings.
 */
export function toChatAnswer(value: unknown, written?: WrittenJson): object {
  const message = asFields(value);
  if (!message) throw new Error('the answer is not an object');
  if (message['type'] === 'error') return { error: toChatError(message['error']) };
  const blocks = Array.isArray(message['content']) ? message['content'].map(asFields) : [];
  const choice = {
    index: 0,
    message: toChatMessage(
      blocks.filter((block) => block !== undefined),
      written,
    ),
    finish_reason: toFinishReason(message['stop_reason']),
    ...stopSequenceOf(message),
    order: orderOf(blocks),
  };
  return { choices: [choice] };
}

function toChatMessage(blocks: readonly Fields[], written: WrittenJson | undefined): object {
  const textsOf = (type: string, field: string): string[] =>
    blocks.filter((block) => block['type'] === type).map((block) => asString(block[field]) ?? '');
  const texts = textsOf('text', 'text');
  const thoughts = textsOf('thinking', 'thinking');
  const details = blocks.flatMap((block) => detailOf(block));
  const annotations = new CitedText();
  const cited = blocks.filter(({ type }) => type === 'text').flatMap((block) => annotations.add(block));
  const calls = blocks
    .filter(({ type }) => type === 'tool_use')
    .map(({ name, input }) => ({
      type: 'function',
      function: { name, arguments: toArgumentsText(input ?? {}, written) },
    }));
  return {
    role: 'assistant',
    content: joined(texts, written) ?? null,
    ...(thoughts.length > 0 && { reasoning_content: joined(thoughts, written) }),
    ...(details.length > 0 && { reasoning_details: details }),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(cited.length > 0 && { annotations: cited }),
  };
}

/** The part kind of each block type. */
const KINDS = new Map<unknown, SaidPart['kind']>([
  ['thinking', 'thought'],
  ['redacted_thinking', 'thought'],
  ['text', 'text'],
  ['tool_use', 'call'],
]);

function orderOf(blocks: readonly (Fields | undefined)[]): readonly SaidPart[] | undefined {
  return unusualOrder(
    blocks.flatMap((block) => {
      const kind = KINDS.get(block?.['type']);
      return kind ? [{ kind, length: kind === 'text' ? (asString(block?.['text'])?.length ?? 0) : 0 }] : [];
    }),
  );
}

/** Converts the citations of text blocks to annotations of the joined text. */
export class CitedText {
  #length = 0;

  /** Returns the pages that the next block cites. Chat has no place for other citations. */
  add({ text, citations }: Fields): object[] {
    const start_index = this.#length;
    this.#length += asString(text)?.length ?? 0;
    return (Array.isArray(citations) ? citations : []).map(asFields).flatMap((cited) => {
      const url = PAGE_OF.get(cited?.['type']);
      if (!cited || url === undefined) return [];
      const { title } = cited;
      return [{ type: 'url_citation', start_index, end_index: this.#length, url: cited[url], title }];
    });
  }
}

/**
 * The field with the page for each kind of citation. The source of a search result may not be a page: then it
 * is dropped.
 */
const PAGE_OF = new Map<unknown, string>([
  ['web_search_result_location', 'url'],
  ['search_result_location', 'source'],
]);

export function detailOf({ type, thinking, signature, data }: Fields): object[] {
  if (type === 'redacted_thinking') return [{ type: 'reasoning.encrypted', data }];
  return type === 'thinking' ? [{ type: 'reasoning.text', text: thinking, signature: signature ?? '' }] : [];
}

const FINISH_REASONS = new Map<unknown, string>([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['pause_turn', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool_calls'],
  ['refusal', 'content_filter'],
]);

export function toFinishReason(reason: unknown): string | null {
  if (typeof reason !== 'string') return null;
  return FINISH_REASONS.get(reason) ?? 'stop';
}

export function stopSequenceOf({ stop_reason: reason, stop_sequence: sequence }: Fields): object {
  return reason === 'stop_sequence' && typeof sequence === 'string' ? { stop_sequence: sequence } : {};
}

/** The statuses of these errors when they come under status 200. */
const STATUS_OF_ERROR = new Map<unknown, number>([
  ['invalid_request_error', 400],
  ['authentication_error', 401],
  ['permission_error', 403],
  ['not_found_error', 404],
  ['request_too_large', 413],
  ['rate_limit_error', 429],
  ['timeout_error', 504],
  ['overloaded_error', 503],
]);

export function toChatError(error: unknown): object {
  const fields = asFields(error);
  return { message: asString(fields?.['message']) ?? '', code: STATUS_OF_ERROR.get(fields?.['type']) ?? 500 };
}
