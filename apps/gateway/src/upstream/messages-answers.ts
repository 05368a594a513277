import type { WrittenStrings } from '@farebox/http';
import { asFields, asIndex, asString, joined } from './answer-parts';
import type { SaidPart } from './said-order';
import { toArgumentsText } from './tool-arguments';
import { toChatUsage } from './usage/report';
import { UsageReader } from './usage/usage-reader';

type Fields = Record<string, unknown>;

/**
 * Reads a response of a messages server as one of chat, which the core reads. Throws if it is no object. `written`: how
 * the strings of a long one were written.
 */
export function toChatAnswer(value: unknown, written?: WrittenStrings): object {
  const message = asFields(value);
  if (!message) throw new Error('the answer is no object');
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

function toChatMessage(blocks: readonly Fields[], written: WrittenStrings | undefined): object {
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

/** The place of blocks of each type in a message of chat. */
const RANKS = new Map<unknown, number>([
  ['thinking', 0],
  ['redacted_thinking', 0],
  ['text', 1],
  ['tool_use', 2],
]);

/** The order of the blocks, if it is not that in which a message of chat has them. */
function orderOf(blocks: readonly (Fields | undefined)[]): SaidPart[] | undefined {
  const known = blocks.filter((block) => RANKS.has(block?.['type']));
  const ranks = known.map((block) => RANKS.get(block?.['type']) ?? 0);
  if (ranks.every((rank, at) => rank >= (ranks[at - 1] ?? 0))) return undefined;
  return known.map((block, at) => {
    const kind = (['thought', 'text', 'call'] as const)[ranks[at] ?? 0] ?? 'text';
    return { kind, length: kind === 'text' ? (asString(block?.['text'])?.length ?? 0) : 0 };
  });
}

/** What blocks of a text cite, as annotations of the text that they are together. */
class CitedText {
  #length = 0;

  /** The pages that the next block cites; nothing else that is cited has a place in chat. */
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

/** Where each kind of citation has its page. The source of a search result may be no page: then it is none here. */
const PAGE_OF = new Map<unknown, string>([
  ['web_search_result_location', 'url'],
  ['search_result_location', 'source'],
]);

function detailOf({ type, thinking, signature, data }: Fields): object[] {
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

function toFinishReason(reason: unknown): string | null {
  if (typeof reason !== 'string') return null;
  return FINISH_REASONS.get(reason) ?? 'stop';
}

function stopSequenceOf({ stop_reason: reason, stop_sequence: sequence }: Fields): object {
  return reason === 'stop_sequence' && typeof sequence === 'string' ? { stop_sequence: sequence } : {};
}

/** The statuses of these errors, if they come under status 200. */
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

function toChatError(error: unknown): object {
  const fields = asFields(error);
  return { message: asString(fields?.['message']) ?? '', code: STATUS_OF_ERROR.get(fields?.['type']) ?? 500 };
}

/** A block that calls a tool. Its beginning may have the input already; if that comes in pieces too, those are it. */
interface CallBlock {
  /** Of the calls. */
  number: number;
  input: Fields;
  isSaid: boolean;
}

/** Reads the events of one stream of messages as those of a chat. */
export class MessagesStreamReader {
  readonly #usage = new UsageReader('messages');
  /** The blocks that call a tool, by their index. */
  readonly #calls = new Map<number, CallBlock>();
  readonly #cited = new CitedText();
  /** The block of text that is open: what it cites is told at its end, when its length is known. */
  #text: { index: number; text: string; citations: unknown[] } | undefined;

  /** The data of the same event in a chat: none, one or several. Throws if it is no JSON object. */
  read(data: string): string[] {
    const event = asFields(JSON.parse(data));
    if (!event) throw new Error('an event of the stream is no object');
    const hasUsage = this.#usage.note(event['type'] === 'message_start' ? event['message'] : event);
    switch (event['type']) {
      case 'message_start':
        return [chunkOf({ role: 'assistant' })];
      case 'content_block_start':
        return this.#begin(asIndex(event['index']) ?? 0, asFields(event['content_block']) ?? {});
      case 'content_block_delta':
        return this.#add(asIndex(event['index']) ?? 0, asFields(event['delta']) ?? {});
      case 'content_block_stop':
        return [...this.#endText(), ...this.#endCall(asIndex(event['index']) ?? 0)];
      case 'message_delta':
        return [
          ...this.#endText(),
          ...[...this.#calls.keys()].flatMap((index) => this.#endCall(index)),
          ...this.#end(event),
        ];
      case 'message_stop':
        return [...(hasUsage ? [JSON.stringify(this.#reported())] : []), '[DONE]'];
      case 'error':
        return [JSON.stringify({ error: toChatError(event['error']) })];
      default:
        return [];
    }
  }

  #begin(index: number, block: Fields): string[] {
    switch (block['type']) {
      case 'text': {
        const ended = this.#endText();
        this.#text = {
          index,
          text: '',
          citations: Array.isArray(block['citations']) ? block['citations'] : [],
        };
        return block['text'] ? [...ended, this.#say(block['text'])] : ended;
      }
      case 'thinking':
        return block['thinking'] ? [chunkOf({ reasoning_content: block['thinking'] })] : [];
      case 'redacted_thinking':
        return [chunkOf({ reasoning_details: detailOf(block) })];
      case 'tool_use': {
        const call = { number: this.#calls.size, input: asFields(block['input']) ?? {}, isSaid: false };
        this.#calls.set(index, call);
        return [callChunk(call.number, { name: block['name'], arguments: '' })];
      }
      default:
        return [];
    }
  }

  #add(index: number, delta: Fields): string[] {
    switch (delta['type']) {
      case 'text_delta':
        return [this.#say(delta['text'])];
      case 'citations_delta':
        this.#text?.citations.push(delta['citation']);
        return [];
      case 'thinking_delta':
        return [chunkOf({ reasoning_content: delta['thinking'] })];
      case 'signature_delta':
        return [chunkOf({ reasoning_details: [{ type: 'reasoning.text', signature: delta['signature'] }] })];
      case 'input_json_delta': {
        const call = this.#calls.get(index);
        if (call === undefined || !delta['partial_json']) return [];
        call.isSaid = true;
        return [callChunk(call.number, { arguments: delta['partial_json'] })];
      }
      default:
        return [];
    }
  }

  #reported(): object {
    const { report } = this.#usage;
    return report === undefined ? {} : { usage: toChatUsage(report) };
  }

  #say(text: unknown): string {
    if (this.#text) this.#text.text += asString(text) ?? '';
    return chunkOf({ content: text });
  }

  #endText(): string[] {
    const text = this.#text;
    this.#text = undefined;
    const annotations = text ? this.#cited.add({ ...text }) : [];
    return annotations.length === 0 ? [] : [chunkOf({ annotations })];
  }

  #endCall(index: number): string[] {
    const call = this.#calls.get(index);
    if (!call || call.isSaid) return [];
    call.isSaid = true;
    return [callChunk(call.number, { arguments: toArgumentsText(call.input) })];
  }

  #end(event: Fields): string[] {
    const delta = asFields(event['delta']) ?? {};
    const choice = {
      index: 0,
      delta: {},
      finish_reason: toFinishReason(delta['stop_reason']),
      ...stopSequenceOf(delta),
    };
    return [JSON.stringify({ choices: [choice], ...this.#reported() })];
  }
}

const chunkOf = (delta: object): string =>
  JSON.stringify({ choices: [{ index: 0, delta, finish_reason: null }] });

const callChunk = (index: number, called: object): string =>
  chunkOf({
    tool_calls: [{ index, ...('name' in called && { id: `call_${String(index)}` }), function: called }],
  });
