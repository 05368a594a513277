import type {
  Logprobs,
  MessagePhase,
  ReasoningDetail,
  ResponsesLogprobs,
  ResponsesOutputItem,
  UrlCitation,
} from '@farebox/api';
import type { ChunkChoice } from '../../upstream/answers';
import { CLIENT_TOOLS } from '../../upstream/client-tools';
import { markedSeal, sealOfCall, sealOfThought } from '../../upstream/seals';
import {
  OpenCustomCall,
  OpenFunctionCall,
  OpenMessage,
  OpenReasoning,
  type Emit,
  type ItemEnd,
  type OpenItem,
  type Place,
} from './open-items';
import { OpenClientCall } from './open-client-call';
import type { CalledTool } from './tools';

type CallPiece = NonNullable<ChunkChoice['delta']['tool_calls']>[number];

type OpenCall = OpenFunctionCall | OpenCustomCall | OpenClientCall;

interface OutputOptions {
  /** The common part of all item ids. */
  idBody: string;
  /** Puts the reasoning in a summary. */
  asksForSummary: boolean;
  /** Whether the seals of reasoning are sent with it, or only kept for later requests. */
  seals: 'told' | 'kept' | undefined;
  /** The tools by their chat names. */
  tools: ReadonlyMap<string, CalledTool>;
  emit: Emit;
}

/** The id prefix of each item type. */
const ID_PREFIXES = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  custom_tool_call: 'ctc',
  local_shell_call: 'lsh',
  shell_call: 'sh',
  apply_patch_call: 'apc',
  tool_search_call: 'tsc',
} as const;

/**
 * Builds the items of a response from chat, piece by piece; a non-streamed response is a single piece.
 * Reasoning and texts end when something else begins. Calls stay open to the end, because their pieces may be
 * interleaved.
 */
export class OutputItems {
  readonly #options: OutputOptions;
  readonly #emit: Emit;
  readonly #done: ResponsesOutputItem[] = [];
  readonly #calls = new Map<number, OpenCall>();
  /** The open calls and their positions. */
  readonly #open = new Map<number, OpenItem>();
  #said: { at: number; item: OpenMessage | OpenReasoning } | undefined;
  /** Characters of all texts, and of those before the last message. */
  #textLength = 0;
  #textBefore = 0;
  #count = 0;

  constructor(options: OutputOptions) {
    this.#options = options;
    const { seals, emit } = options;
    this.#emit =
      seals === 'told'
        ? emit
        : (event) => {
            emit('item' in event ? { ...event, item: unsealed(event.item) } : event);
          };
  }

  add({ delta, logprobs, begins }: Pick<ChunkChoice, 'delta' | 'logprobs' | 'begins'>): void {
    const emit = this.#emit;
    if (begins && this.#said?.item instanceof OpenMessage) this.#endSaid('completed');
    const { reasoning_content: reasons, content, refusal, tool_calls: calls, annotations } = delta;
    if (reasons) this.#reasoning().add(reasons, emit);
    for (const detail of delta.reasoning_details ?? []) this.#sealReasons(detail);
    if (content) {
      this.#message(begins?.phase).addText(content, toLogprobs(logprobs), emit);
      this.#textLength += content.length;
    }
    for (const cited of annotations ?? []) this.#addAnnotation(cited);
    if (refusal) this.#message().addRefusal(refusal, emit);
    for (const call of calls ?? []) this.#addToCall(call);
  }

  /** Drops a citation that comes after its text has ended. Its place is one in the text of all messages. */
  #addAnnotation({ type, url_citation }: UrlCitation): void {
    if (this.#count > 0 && !(this.#said?.item instanceof OpenMessage)) return;
    const message = this.#message();
    const [start_index, end_index] = [url_citation.start_index, url_citation.end_index].map((at) =>
      Math.max(0, at - this.#textBefore),
    ) as [number, number];
    message.addAnnotation({ type, ...url_citation, start_index, end_index }, this.#emit);
  }

  /** Closes the open items and returns all of them. If the model was stopped, its last item is incomplete. */
  end(lastEnd: ItemEnd): ResponsesOutputItem[] {
    if (this.#count === 0) this.#message();
    const last = this.#count - 1;
    const endOf = (at: number): ItemEnd => (at === last ? lastEnd : 'completed');
    if (this.#said) this.#endSaid(endOf(this.#said.at));
    for (const [at, item] of this.#open) this.#done[at] = item.close(this.#emit, endOf(at));
    this.#open.clear();
    return this.#options.seals === 'told' ? this.#done : this.#done.map(unsealed);
  }

  /** After the end: the items in the form that later requests may name. */
  kept(): object[] {
    return this.#done.map(toKept);
  }

  #reasoning(): OpenReasoning {
    if (this.#said?.item instanceof OpenReasoning) return this.#said.item;
    this.#endSaid('completed');
    const place = this.#nextPlace('reasoning');
    const item = new OpenReasoning(place, this.#options.asksForSummary, this.#emit);
    this.#said = { at: place.output_index, item };
    return item;
  }

  /** Thoughts after the seal are another item. */
  #sealReasons(detail: ReasoningDetail): void {
    if (!this.#options.seals) return;
    const item = this.#reasoning();
    if (detail.type === 'reasoning.encrypted') item.seal(markedSeal(detail.data));
    else item.seal(sealOfThought({ text: detail.text ?? item.text, signature: detail.signature }));
    this.#endSaid('completed', true);
  }

  /** The signature of a call comes before it, in an item of its own. */
  #sealCall(extra: CallPiece['extra_content']): void {
    if (!extra || !this.#options.seals) return;
    this.#endSaid('completed');
    this.#reasoning().seal(sealOfCall(extra.google.thought_signature));
    this.#endSaid('completed', true);
  }

  #message(phase?: MessagePhase): OpenMessage {
    if (this.#said?.item instanceof OpenMessage) return this.#said.item;
    this.#endSaid('completed');
    const place = this.#nextPlace('message');
    const item = new OpenMessage(place, phase, this.#emit);
    this.#textBefore = this.#textLength;
    this.#said = { at: place.output_index, item };
    return item;
  }

  #addToCall({ index, id, extra_content: extra, function: called }: CallPiece): void {
    const emit = this.#emit;
    let call = this.#calls.get(index);
    if (!call) {
      this.#endSaid('completed');
      this.#sealCall(extra);
      const name = called?.name ?? '';
      const { type = 'function', ...tool } = this.#options.tools.get(name) ?? { name };
      call = this.#openCall(type, id, tool);
      this.#calls.set(index, call);
      this.#open.set(this.#count - 1, call);
    }
    if (called?.arguments) call.add(called.arguments, emit);
  }

  #openCall(type: CalledTool['type'], id: string | undefined, tool: Omit<CalledTool, 'type'>): OpenCall {
    const emit = this.#emit;
    if (type !== 'function' && type !== 'custom') {
      const place = this.#nextPlace(CLIENT_TOOLS[type].item);
      return new OpenClientCall(place, { name: type, call_id: id ?? place.item_id });
    }
    const isCustom = type === 'custom';
    const place = this.#nextPlace(isCustom ? 'custom_tool_call' : 'function_call');
    const about = { call_id: id ?? place.item_id, ...tool };
    return isCustom ? new OpenCustomCall(place, about, emit) : new OpenFunctionCall(place, about, emit);
  }

  #endSaid(end: ItemEnd, isSealed = false): void {
    const said = this.#said;
    if (!said) return;
    this.#said = undefined;
    // Some clients send back no reasoning without a seal.
    if (!isSealed && this.#options.seals === 'told' && said.item instanceof OpenReasoning)
      said.item.seal(sealOfThought({ text: said.item.text }));
    this.#done[said.at] = said.item.close(this.#emit, end);
  }

  #nextPlace(type: keyof typeof ID_PREFIXES): Place {
    const output_index = this.#count++;
    return { item_id: `${ID_PREFIXES[type]}_${this.#options.idBody}_${String(output_index)}`, output_index };
  }
}

function unsealed(item: ResponsesOutputItem): ResponsesOutputItem {
  if (item.type !== 'reasoning') return item;
  const others = { ...item };
  delete others.encrypted_content;
  return others;
}

/** Removes the parts without meaning for a model. */
function toKept(item: ResponsesOutputItem): object {
  if (item.type !== 'message') return item;
  const content = item.content.map((part) =>
    part.type === 'refusal' ? part : { type: part.type, text: part.text },
  );
  return { ...item, content };
}

function toLogprobs(logprobs: Logprobs | null | undefined): ResponsesLogprobs {
  return (logprobs?.content ?? []).map(({ top_logprobs, ...entry }) => ({
    ...withBytes(entry),
    top_logprobs: top_logprobs.map(withBytes),
  }));
}

type Entry = Omit<NonNullable<Logprobs['content']>[number], 'top_logprobs'>;

function withBytes({ token, logprob, bytes }: Entry) {
  return { token, logprob, bytes: bytes ?? [] };
}
