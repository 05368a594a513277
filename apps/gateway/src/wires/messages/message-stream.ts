import type {
  CreatedMessage,
  FinishReason,
  MessageBlock,
  MessageEvent,
  MessageUsage,
  ReasoningDetail,
  StopReason,
  UrlCitation,
  WebCitation,
} from '@farebox/api';
import type { ChunkChoice } from '../../upstream/answers';
import { JsonEnd } from '../../upstream/json-end';
import { sealOfCall } from '../../upstream/seals';
import { toToolUseId } from './tool-ids';

type CallPiece = NonNullable<ChunkChoice['delta']['tool_calls']>[number];
type Delta = Extract<MessageEvent, { type: 'content_block_delta' }>['delta'];

interface OpenBlock {
  type: MessageBlock['type'];
  index: number;
  call?: OpenCall;
}

interface OpenCall {
  callIndex: number;
  input: JsonEnd;
}

/** A call whose pieces arrive before the previous call is complete. */
interface WaitingCall {
  seal: string | undefined;
  id: string;
  name: string;
  input: string;
}

/**
 * The events of one streamed message. Its blocks follow one another, each with a beginning and an end, in
 * whatever order an upstream sends its pieces.
 */
export class MessageStream {
  #isBegun = false;
  #blocks = 0;
  #open: OpenBlock | undefined;
  readonly #calls = new Set<number>();
  readonly #waiting = new Map<number, WaitingCall>();
  #isRefusal = false;
  #finish: FinishReason | undefined;
  #stopSequence: string | undefined;

  get hasBegun(): boolean {
    return this.#isBegun;
  }

  begin(message: CreatedMessage): MessageEvent[] {
    this.#isBegun = true;
    return [{ type: 'message_start', message }];
  }

  say({ delta, begins, finish_reason: finish, stop_sequence: stopSequence }: ChunkChoice): MessageEvent[] {
    const events: MessageEvent[] = [];
    if (begins && this.#open?.type === 'text') this.#close(events);
    if (delta.reasoning_content) this.#think(delta.reasoning_content, events);
    for (const detail of delta.reasoning_details ?? []) this.#seal(detail, events);
    for (const text of [delta.content, delta.refusal]) if (text) this.#write(text, events);
    for (const cited of delta.annotations ?? []) this.#cite(cited, events);
    if (delta.refusal) this.#isRefusal = true;
    for (const piece of delta.tool_calls ?? []) this.#call(piece, events);
    this.#finish = finish ?? this.#finish;
    this.#stopSequence = stopSequence ?? this.#stopSequence;
    return events;
  }

  end(usage: MessageUsage): MessageEvent[] {
    const events: MessageEvent[] = [];
    while (this.#waiting.size > 0) this.#beginWaiting(events);
    this.#close(events);
    const stop = { finish: this.#finish, stopSequence: this.#stopSequence, isRefusal: this.#isRefusal };
    const delta = toStop({ ...stop, hasCalls: this.#calls.size > 0 });
    events.push({ type: 'message_delta', delta, usage }, { type: 'message_stop' });
    return events;
  }

  #think(thinking: string, events: MessageEvent[]): void {
    if (this.#open?.type !== 'thinking')
      this.#begin({ type: 'thinking', thinking: '', signature: '' }, events);
    this.#add({ type: 'thinking_delta', thinking }, events);
  }

  /** A signature ends the current thought: further thoughts are another block. */
  #seal(detail: ReasoningDetail, events: MessageEvent[]): void {
    if (detail.type === 'reasoning.encrypted')
      this.#begin({ type: 'redacted_thinking', data: detail.data }, events);
    else {
      if (this.#open?.type !== 'thinking')
        this.#begin({ type: 'thinking', thinking: '', signature: '' }, events);
      this.#add({ type: 'signature_delta', signature: detail.signature }, events);
    }
    this.#close(events);
  }

  #write(text: string, events: MessageEvent[]): void {
    if (this.#open?.type !== 'text') this.#begin({ type: 'text', text: '' }, events);
    this.#add({ type: 'text_delta', text }, events);
  }

  /** Drops a citation that comes after its text has ended. */
  #cite(cited: UrlCitation, events: MessageEvent[]): void {
    if (this.#blocks === 0) this.#begin({ type: 'text', text: '' }, events);
    if (this.#open?.type === 'text')
      this.#add({ type: 'citations_delta', citation: toCitation(cited) }, events);
  }

  #call({ index, id = '', extra_content: extra, function: called }: CallPiece, events: MessageEvent[]): void {
    const seal = extra && sealOfCall(extra.google.thought_signature);
    const [name, input] = [called?.name ?? '', called?.arguments ?? ''];
    const open = this.#open?.call;
    const waiting = this.#waiting.get(index);
    if (open?.callIndex === index) {
      this.#addInput(open, input, events);
      while (open.input.isReached && this.#open?.call?.input.isReached && this.#waiting.size > 0)
        this.#beginWaiting(events);
    } else if (waiting) waiting.input += input;
    else if (!this.#calls.has(index)) {
      this.#calls.add(index);
      if (open && !open.input.isReached) this.#waiting.set(index, { id, name, input, seal });
      else this.#beginCall(index, { id, name, input, seal }, events);
    }
  }

  #beginWaiting(events: MessageEvent[]): void {
    for (const [index, call] of this.#waiting) {
      this.#waiting.delete(index);
      this.#beginCall(index, call, events);
      return;
    }
  }

  /** The signature of a call comes before it. */
  #beginCall(callIndex: number, { id, name, input, seal }: WaitingCall, events: MessageEvent[]): void {
    if (seal !== undefined) this.#begin({ type: 'redacted_thinking', data: seal }, events);
    const call = { callIndex, input: new JsonEnd() };
    this.#begin({ type: 'tool_use', id: toToolUseId(id), name, input: {} }, events, call);
    this.#addInput(call, input, events);
  }

  #addInput({ input }: OpenCall, partial_json: string, events: MessageEvent[]): void {
    if (partial_json === '') return;
    input.read(partial_json);
    this.#add({ type: 'input_json_delta', partial_json }, events);
  }

  #begin(block: MessageBlock, events: MessageEvent[], call?: OpenCall): void {
    this.#close(events);
    const index = this.#blocks++;
    this.#open = { type: block.type, index, ...(call && { call }) };
    events.push({ type: 'content_block_start', index, content_block: block });
  }

  #add(delta: Delta, events: MessageEvent[]): void {
    events.push({ type: 'content_block_delta', index: this.#open?.index ?? 0, delta });
  }

  #close(events: MessageEvent[]): void {
    if (this.#open) events.push({ type: 'content_block_stop', index: this.#open.index });
    this.#open = undefined;
  }
}

/** A message cannot express the position of a citation: it is attached to the block. */
export function toCitation({ url_citation: { url, title } }: UrlCitation): WebCitation {
  return {
    type: 'web_search_result_location',
    url,
    title: title === '' ? null : title,
    cited_text: '',
    encrypted_index: '',
  };
}

interface Stop {
  finish: FinishReason | undefined;
  stopSequence: string | undefined;
  hasCalls: boolean;
  isRefusal: boolean;
}

export function toStop({ finish, stopSequence, hasCalls, isRefusal }: Stop): {
  stop_reason: StopReason;
  stop_sequence: string | null;
} {
  if (finish === 'stop' && stopSequence !== undefined)
    return { stop_reason: 'stop_sequence', stop_sequence: stopSequence };
  return { stop_reason: toStopReason(finish, hasCalls, isRefusal), stop_sequence: null };
}

/** A server that was forced to call a tool may report a plain stop. */
function toStopReason(finish: FinishReason | undefined, hasCalls: boolean, isRefusal: boolean): StopReason {
  switch (finish) {
    case 'length':
      return 'max_tokens';
    case 'tool_calls':
      return 'tool_use';
    case 'content_filter':
      return 'refusal';
    case 'stop':
    case undefined:
      if (isRefusal) return 'refusal';
      return hasCalls ? 'tool_use' : 'end_turn';
  }
}
