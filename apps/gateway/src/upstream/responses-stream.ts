import { asFields, asIndex, asString } from './answer-parts';
import { toChatUsage } from './usage/report';
import { toBegun } from './said-order';
import { UsageReader } from './usage/usage-reader';
import { clientToolOf } from './client-tools';
import {
  argumentsOf,
  detailOf,
  finishOf,
  itemsOf,
  shifted,
  thoughtOf,
  toChatError,
} from './responses-answers';

type Fields = Record<string, unknown>;

/** An output item, as far as it has arrived. */
interface OpenItem {
  /** The number of the call, if the item is one. */
  call: number | undefined;
  isCustom: boolean;
  /** Some of its text, reasoning or input came in pieces. */
  hasPieces: boolean;
  /** Some of its text was passed on. */
  isSaid: boolean;
  /** Which field of a reasoning item is used: its text or its summary. */
  reasons: 'text' | 'summary' | undefined;
}

/** Converts the events of one Responses stream to those of a chat stream. */
export class ResponsesStreamReader {
  readonly #usage = new UsageReader('responses');
  readonly #items = new Map<string | number, OpenItem>();
  /** The phases of the messages that have begun. */
  readonly #phases = new Map<string | number, unknown>();
  #calls = 0;
  #hasBegun = false;
  /** Length of the text so far, and of the text before its current part. */
  #textLength = 0;
  #partStart = 0;

  /** Returns the data of the same event in chat: none, one or several. Throws if it is not a JSON object. */
  read(data: string): string[] {
    if (data === '[DONE]') return [];
    const event = asFields(JSON.parse(data));
    if (!event) throw new Error('an event of the stream is not an object');
    return this.#read(event);
  }

  #read(event: Fields): string[] {
    this.#usage.note(event['response']);
    switch (event['type']) {
      case 'response.created':
      case 'response.in_progress':
      case 'response.queued':
        if (this.#hasBegun) return [];
        this.#hasBegun = true;
        return [chunkOf({ role: 'assistant' })];
      case 'response.output_item.added':
        return this.#begin(event);
      case 'response.content_part.added':
        this.#partStart = this.#textLength;
        return [];
      case 'response.output_text.delta':
        return this.#say(event);
      case 'response.output_text.annotation.added':
        return this.#cite(event);
      case 'response.refusal.delta':
        this.#itemOf(event).hasPieces = true;
        return [chunkOf({ refusal: event['delta'] })];
      case 'response.reasoning_text.delta':
        return this.#think(event, 'text');
      case 'response.reasoning_summary_text.delta':
        return this.#think(event, 'summary');
      case 'response.reasoning_summary_part.added':
        return this.#separate(event);
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        return this.#addToCall(event);
      case 'response.output_item.done':
        return this.#end(event);
      case 'response.completed':
      case 'response.done':
        return this.#finish({ status: 'completed', ...asFields(event['response']) });
      case 'response.incomplete':
        return this.#finish({ ...asFields(event['response']), status: 'incomplete' });
      case 'response.failed':
      case 'response.cancelled':
        return [errorOf(asFields(event['response'])?.['error'])];
      case 'error':
        return [errorOf(event['error'] ?? event)];
      default:
        return [];
    }
  }

  #itemOf(event: Fields): OpenItem {
    const place = placeOf(event);
    const known = this.#items.get(place);
    if (known) return known;
    const item = { call: undefined, isCustom: false, hasPieces: false, isSaid: false, reasons: undefined };
    this.#items.set(place, item);
    return item;
  }

  #begin(event: Fields): string[] {
    const { type, name, phase } = asFields(event['item']) ?? {};
    if (type === 'message') this.#phases.set(placeOf(event), phase);
    if (type !== 'function_call' && type !== 'custom_tool_call') return [];
    const item = this.#itemOf(event);
    item.call = this.#calls++;
    item.isCustom = type === 'custom_tool_call';
    return [callChunk(item.call, { name, arguments: item.isCustom ? '{"input":"' : '' })];
  }

  #say(event: Fields): string[] {
    const item = this.#itemOf(event);
    item.hasPieces = true;
    const { length } = asString(event['delta']) ?? '';
    const begins = item.isSaid || length === 0 ? undefined : this.#messageOf(event);
    item.isSaid ||= length > 0;
    this.#textLength += length;
    const content = itemsOf(event['logprobs']);
    const logprobs = content.length > 0 ? { content, refusal: null } : undefined;
    return [chunkOf({ content: event['delta'] }, { ...(logprobs && { logprobs }), ...begins })];
  }

  /** The message that the first piece of its text begins. */
  #messageOf(event: Fields): { begins: object } | undefined {
    const begins = toBegun(this.#phases.get(placeOf(event)), this.#textLength > 0);
    return begins && { begins };
  }

  #cite(event: Fields): string[] {
    const annotation = asFields(event['annotation']);
    return annotation ? [chunkOf({ annotations: [shifted(annotation, this.#partStart)] })] : [];
  }

  #think(event: Fields, source: 'text' | 'summary'): string[] {
    const item = this.#itemOf(event);
    item.reasons ??= source;
    if (item.reasons !== source) return [];
    item.hasPieces = true;
    return [chunkOf({ reasoning_content: event['delta'] })];
  }

  /** Separates the paragraphs of a summary. */
  #separate(event: Fields): string[] {
    const item = this.#itemOf(event);
    return item.hasPieces && item.reasons === 'summary' ? [chunkOf({ reasoning_content: '\n\n' })] : [];
  }

  #addToCall(event: Fields): string[] {
    const item = this.#itemOf(event);
    const delta = asString(event['delta']);
    if (item.call === undefined || delta === undefined) return [];
    item.hasPieces = true;
    return [callChunk(item.call, { arguments: item.isCustom ? asJsonPiece(delta) : delta })];
  }

  /** The finished item: fields without pieces come whole. */
  #end(event: Fields): string[] {
    const whole = asFields(event['item']) ?? {};
    const item = this.#itemOf(event);
    switch (whole['type']) {
      case 'reasoning': {
        const thought = item.hasPieces ? '' : thoughtOf(whole);
        const details = detailOf(whole);
        return [
          ...(thought === '' ? [] : [chunkOf({ reasoning_content: thought })]),
          ...(details.length > 0 ? [chunkOf({ reasoning_details: details })] : []),
        ];
      }
      case 'function_call':
      case 'custom_tool_call':
        return this.#endCall(event, whole, item);
      case 'message':
        return item.hasPieces ? [] : this.#sayWhole(whole);
      default: {
        const name = clientToolOf(whole['type']);
        if (!name) return [];
        return [callChunk(this.#calls++, { name, arguments: argumentsOf(name, whole) })];
      }
    }
  }

  #endCall(event: Fields, whole: Fields, item: OpenItem): string[] {
    const begun = item.call === undefined ? this.#begin(event) : [];
    const text = asString(item.isCustom ? whole['input'] : whole['arguments']) ?? '';
    const rest = item.hasPieces ? '' : item.isCustom ? asJsonPiece(text) : text;
    const closed = rest + (item.isCustom ? '"}' : '');
    return closed === '' ? begun : [...begun, callChunk(item.call ?? 0, { arguments: closed })];
  }

  #sayWhole({ content, phase }: Fields): string[] {
    let begins = toBegun(phase, this.#textLength > 0);
    return itemsOf(content).flatMap((part) => {
      const { text, refusal, annotations } = part;
      const start = this.#textLength;
      const begun = text && begins ? { begins } : {};
      if (text) begins = undefined;
      this.#textLength += asString(text)?.length ?? 0;
      const cited = itemsOf(annotations).map((annotation) => shifted(annotation, start));
      return [
        ...(text ? [chunkOf({ content: text }, begun)] : []),
        ...(refusal ? [chunkOf({ refusal })] : []),
        ...(cited.length > 0 ? [chunkOf({ annotations: cited })] : []),
      ];
    });
  }

  #finish(response: Fields): string[] {
    if (response['error'] != null) return [errorOf(response['error'])];
    const only = this.#items.size > 0 ? [] : this.#tellItems(response);
    const choice = { index: 0, delta: {}, finish_reason: finishOf(response, this.#calls > 0) };
    const { report } = this.#usage;
    const usage = report === undefined ? {} : { usage: toChatUsage(report) };
    return [...only, JSON.stringify({ choices: [choice], ...usage }), '[DONE]'];
  }

  /** Reads the output of a server that sent no items before the end. */
  #tellItems({ output }: Fields): string[] {
    return itemsOf(output).flatMap((item, output_index) => this.#end({ output_index, item }));
  }
}

const chunkOf = (delta: object, others: object = {}): string =>
  JSON.stringify({ choices: [{ index: 0, delta, ...others, finish_reason: null }] });

/** Some servers give a new id in each event, but the index stays the same. */
const placeOf = (event: Fields): string | number =>
  asIndex(event['output_index']) ?? asString(event['item_id']) ?? '';

const callChunk = (index: number, called: object): string =>
  chunkOf({
    tool_calls: [{ index, ...('name' in called && { id: `call_${String(index)}` }), function: called }],
  });

/** Encodes a piece of text for the inside of a JSON string. */
const asJsonPiece = (text: string): string => JSON.stringify(text).slice(1, -1);

const errorOf = (error: unknown): string => JSON.stringify({ error: toChatError(error) });
