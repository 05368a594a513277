import type {
  MessagePhase,
  ResponsesCitation,
  ResponsesEvent,
  ResponsesLogprobs,
  ResponsesOutputItem,
} from '@farebox/api';
import { PiecedText } from '../../chat/pieced-text';
import { toCustomInput } from '../../upstream/custom-tools';

type Unnumbered<Event> = Event extends unknown ? Omit<Event, 'sequence_number'> : never;
/** An event without a number. */
export type ItemEvent = Unnumbered<ResponsesEvent>;
export type Emit = (event: ItemEvent) => void;

/** How an item ended: `incomplete` if the model was stopped within it. */
export type ItemEnd = 'completed' | 'incomplete';

/** The position of an item in the output. */
export interface Place {
  item_id: string;
  output_index: number;
}

/** The fields of a call known from its beginning. */
export interface CallIdentity {
  call_id: string;
  namespace?: string;
  name: string;
}

/** An item that the model is still writing. */
export interface OpenItem {
  /** Emits the final events and returns the finished item. */
  close(emit: Emit, end: ItemEnd): ResponsesOutputItem;
}

function added(emit: Emit, { output_index }: Place, item: ResponsesOutputItem): void {
  emit({ type: 'response.output_item.added', output_index, item });
}

function done(emit: Emit, { output_index }: Place, item: ResponsesOutputItem): ResponsesOutputItem {
  emit({ type: 'response.output_item.done', output_index, item });
  return item;
}

type MessagePart = Extract<ResponsesOutputItem, { type: 'message' }>['content'][number];

/** A text, a refusal, or both as parts of one message. */
export class OpenMessage implements OpenItem {
  readonly #place: Place;
  readonly #phase: MessagePhase | undefined;
  readonly #parts: MessagePart[] = [];
  #kind: 'text' | 'refusal' | undefined;
  #text = new PiecedText();
  #logprobs: ResponsesLogprobs = [];
  #annotations: ResponsesCitation[] = [];

  constructor(place: Place, phase: MessagePhase | undefined, emit: Emit) {
    this.#place = place;
    this.#phase = phase;
    added(emit, place, this.#toItem('in_progress'));
  }

  addText(delta: string, logprobs: ResponsesLogprobs, emit: Emit): void {
    this.#turnTo('text', emit);
    this.#text.add(delta);
    this.#logprobs.push(...logprobs);
    emit({ type: 'response.output_text.delta', ...this.#placeOfPart, delta, logprobs });
  }

  /** The text that it cites may have come before. */
  addAnnotation(annotation: ResponsesCitation, emit: Emit): void {
    this.#turnTo('text', emit);
    const annotation_index = this.#annotations.push(annotation) - 1;
    emit({
      type: 'response.output_text.annotation.added',
      ...this.#placeOfPart,
      annotation_index,
      annotation,
    });
  }

  addRefusal(delta: string, emit: Emit): void {
    this.#turnTo('refusal', emit);
    this.#text.add(delta);
    emit({ type: 'response.refusal.delta', ...this.#placeOfPart, delta });
  }

  close(emit: Emit, end: ItemEnd): ResponsesOutputItem {
    // A model that wrote nothing has an empty text.
    if (this.#parts.length === 0) this.#turnTo('text', emit);
    this.#endPart(emit);
    return done(emit, this.#place, this.#toItem(end));
  }

  get #placeOfPart() {
    return { ...this.#place, content_index: this.#parts.length };
  }

  #turnTo(kind: 'text' | 'refusal', emit: Emit): void {
    if (this.#kind === kind) return;
    this.#endPart(emit);
    this.#kind = kind;
    emit({ type: 'response.content_part.added', ...this.#placeOfPart, part: toPart(kind, '', [], []) });
  }

  #endPart(emit: Emit): void {
    if (this.#kind === undefined) return;
    const { text } = this.#text;
    const logprobs = this.#logprobs;
    const part = toPart(this.#kind, text, logprobs, this.#annotations);
    if (this.#kind === 'text')
      emit({ type: 'response.output_text.done', ...this.#placeOfPart, text, logprobs });
    else emit({ type: 'response.refusal.done', ...this.#placeOfPart, refusal: text });
    emit({ type: 'response.content_part.done', ...this.#placeOfPart, part });
    this.#parts.push(part);
    this.#kind = undefined;
    this.#text = new PiecedText();
    this.#logprobs = [];
    this.#annotations = [];
  }

  #toItem(status: ItemEnd | 'in_progress'): ResponsesOutputItem {
    const content = [...this.#parts];
    const phase = this.#phase && { phase: this.#phase };
    return { type: 'message', id: this.#place.item_id, status, role: 'assistant', ...phase, content };
  }
}

function toPart(
  kind: 'text' | 'refusal',
  text: string,
  logprobs: ResponsesLogprobs,
  annotations: ResponsesCitation[],
): MessagePart {
  if (kind === 'refusal') return { type: 'refusal', refusal: text };
  return { type: 'output_text', text, annotations, logprobs };
}

/**
 * The model's reasoning: as a summary if one was requested, because many clients read no other form;
 * otherwise as plain reasoning.
 */
export class OpenReasoning implements OpenItem {
  readonly #place: Place;
  readonly #isSummary: boolean;
  readonly #text = new PiecedText();
  #seal: string | undefined;

  constructor(place: Place, isSummary: boolean, emit: Emit) {
    this.#place = place;
    this.#isSummary = isSummary;
    added(emit, place, this.#toItem('in_progress'));
    if (isSummary)
      emit({
        type: 'response.reasoning_summary_part.added',
        ...place,
        summary_index: 0,
        part: toSummary(''),
      });
    else emit({ type: 'response.content_part.added', ...place, content_index: 0, part: toReasons('') });
  }

  add(delta: string, emit: Emit): void {
    this.#text.add(delta);
    if (this.#isSummary)
      emit({ type: 'response.reasoning_summary_text.delta', ...this.#place, summary_index: 0, delta });
    else emit({ type: 'response.reasoning_text.delta', ...this.#place, content_index: 0, delta });
  }

  get text(): string {
    return this.#text.text;
  }

  /** The seal that the server wants back. It is emitted at the end of the item. */
  seal(seal: string): void {
    this.#seal = seal;
  }

  close(emit: Emit, end: ItemEnd): ResponsesOutputItem {
    const { text } = this.#text;
    if (this.#isSummary) {
      const place = { ...this.#place, summary_index: 0 };
      emit({ type: 'response.reasoning_summary_text.done', ...place, text });
      emit({ type: 'response.reasoning_summary_part.done', ...place, part: toSummary(text) });
    } else {
      const place = { ...this.#place, content_index: 0 };
      emit({ type: 'response.reasoning_text.done', ...place, text });
      emit({ type: 'response.content_part.done', ...place, part: toReasons(text) });
    }
    return done(emit, this.#place, this.#toItem(end, text));
  }

  #toItem(status: ItemEnd | 'in_progress', text?: string): ResponsesOutputItem {
    const { item_id: id } = this.#place;
    return {
      type: 'reasoning',
      id,
      status,
      summary: text !== undefined && this.#isSummary ? [toSummary(text)] : [],
      content: text !== undefined && !this.#isSummary ? [toReasons(text)] : [],
      ...(this.#seal !== undefined && { encrypted_content: this.#seal }),
    };
  }
}

const toSummary = (text: string) => ({ type: 'summary_text' as const, text });
const toReasons = (text: string) => ({ type: 'reasoning_text' as const, text });

/** A call of a function. */
export class OpenFunctionCall implements OpenItem {
  readonly #place: Place;
  readonly #call: CallIdentity;
  readonly #arguments = new PiecedText();

  constructor(place: Place, call: CallIdentity, emit: Emit) {
    this.#place = place;
    this.#call = call;
    added(emit, place, this.#toItem('in_progress'));
  }

  add(delta: string, emit: Emit): void {
    this.#arguments.add(delta);
    emit({ type: 'response.function_call_arguments.delta', ...this.#place, delta });
  }

  close(emit: Emit, end: ItemEnd): ResponsesOutputItem {
    const { name } = this.#call;
    const event = { ...this.#place, name, arguments: this.#arguments.text };
    emit({ type: 'response.function_call_arguments.done', ...event });
    return done(emit, this.#place, this.#toItem(end));
  }

  #toItem(status: ItemEnd | 'in_progress'): ResponsesOutputItem {
    const { item_id: id } = this.#place;
    return { type: 'function_call', id, status, ...this.#call, arguments: this.#arguments.text };
  }
}

/** A call of a custom tool. Its input is inside JSON, and known once that is complete. */
export class OpenCustomCall implements OpenItem {
  readonly #place: Place;
  readonly #call: CallIdentity;
  readonly #arguments = new PiecedText();

  constructor(place: Place, call: CallIdentity, emit: Emit) {
    this.#place = place;
    this.#call = call;
    added(emit, place, this.#toItem('in_progress', ''));
  }

  add(delta: string): void {
    this.#arguments.add(delta);
  }

  close(emit: Emit, end: ItemEnd): ResponsesOutputItem {
    const input = toCustomInput(this.#arguments.text);
    if (input !== '') emit({ type: 'response.custom_tool_call_input.delta', ...this.#place, delta: input });
    emit({ type: 'response.custom_tool_call_input.done', ...this.#place, input });
    return done(emit, this.#place, this.#toItem(end, input));
  }

  #toItem(status: ItemEnd | 'in_progress', input: string): ResponsesOutputItem {
    return { type: 'custom_tool_call', id: this.#place.item_id, status, ...this.#call, input };
  }
}
