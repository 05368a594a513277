import {
  type CompletionUsage,
  type FinishReason,
  type ResponsesEvent,
  type ResponsesOutputItem,
  type ResponsesRequest,
  type ResponsesResponse,
} from '@farebox/api';
import type { ApiError } from '@farebox/errors';
import { writeJsonInTurns } from '@farebox/flow';
import type { ChunkChoice } from '../../upstream/answers';
import { partsInOrder } from '../../upstream/said-order';
import type { AnswerIdentity } from '../../chat/completion';
import { toEvent, type ResponseWriter } from '../wire';
import { asksForCompaction, CompactionOutput } from './compaction';
import type { Emit, ItemEnd, ItemEvent } from './open-items';
import { OutputItems } from './output-items';
import { idBodyOf, summaryOf, toEcho, toUsage, type Echo } from './response-object';
import { toResponsesError } from './responses-errors';
import { calledTools } from './tools';

/** Converts a non-streamed response to the form of its endpoint. */
export type ToTold = (whole: ResponsesResponse) => object;

/** Writes the response of a request: non-streamed, or as the numbered events of the Responses API. */
export function responsesWriter(
  request: ResponsesRequest,
  toTold: ToTold = (whole) => whole,
): ResponseWriter {
  const echo = toEcho(request);
  const toItems = itemsOf(request);
  let stream: EventStream | undefined;
  let said: Items | undefined;
  const streamOf = (of: AnswerIdentity): EventStream => (stream ??= new EventStream(of, echo, toItems));

  return {
    heartbeat: ': keep-alive\n\n',
    toWhole(of, [choice], usage, written) {
      const items = toItems(of, () => undefined);
      said = items;
      const finish = choice?.finish_reason ?? 'stop';
      if (choice) {
        let calls = 0;
        for (const { message, ...part } of partsInOrder(choice)) {
          const tool_calls = (message.tool_calls ?? []).map((call) => ({ index: calls++, ...call }));
          items.add({ delta: { ...message, tool_calls }, ...part });
        }
      }
      const output = items.end(itemEndOf(finish));
      const whole = toTold({ ...toBegun(of, echo), ...ENDS[finish], output, usage: toUsage(usage) });
      return written ? writeJsonInTurns(whole, written) : JSON.stringify(whole);
    },
    toChunk: (of, choices) => streamOf(of).add(choices),
    toEnd: (of, usage) => streamOf(of).end(usage),
    keptItems: () => stream?.keptItems() ?? said?.kept() ?? [],
    toRefusal: (of, error) => (error.overflow ? streamOf(of).fail(error) : undefined),
    toFailure: (error) =>
      stream ? stream.fail(error) : toEvent({ ...toErrorEvent(error), sequence_number: 0 }, 'error'),
  };
}

type Items = Pick<OutputItems, 'add' | 'end' | 'kept'>;
type ToItems = (of: AnswerIdentity, emit: Emit) => Items;

/**
 * Whether later requests may name the items of a response: OpenAI's clients do, unless they ask for no
 * storage.
 */
export function keepsItems(request: ResponsesRequest): boolean {
  return request.store !== false && !asksForCompaction(request);
}

function itemsOf(request: ResponsesRequest): ToItems {
  if (asksForCompaction(request)) return (of, emit) => new CompactionOutput(idBodyOf(of), emit);
  const tools = calledTools(request);
  const asksForSummary = summaryOf(request) !== null;
  const seals = sealsOf(request);
  return (of, emit) => new OutputItems({ idBody: idBodyOf(of), asksForSummary, seals, tools, emit });
}

function sealsOf(request: ResponsesRequest): 'told' | 'kept' | undefined {
  if (request.include?.includes('reasoning.encrypted_content')) return 'told';
  return keepsItems(request) ? 'kept' : undefined;
}

/** The events of one response. */
class EventStream {
  readonly #begun: ResponsesResponse;
  readonly #items: Items;
  #output: ResponsesOutputItem[] | undefined;
  #finish: FinishReason = 'stop';
  #sequenceNumber = 0;
  /** Events not sent yet. */
  #text = '';

  constructor(of: AnswerIdentity, echo: Echo, toItems: ToItems) {
    this.#begun = toBegun(of, echo);
    this.#items = toItems(of, this.#emit);
    this.#emit({ type: 'response.created', response: this.#begun });
    this.#emit({ type: 'response.in_progress', response: this.#begun });
  }

  add(choices: readonly ChunkChoice[]): string {
    for (const choice of choices) {
      this.#items.add(choice);
      this.#finish = choice.finish_reason ?? this.#finish;
    }
    return this.#take();
  }

  end(usage: CompletionUsage): string {
    const output = this.#endItems();
    const response = { ...this.#begun, ...ENDS[this.#finish], output, usage: toUsage(usage) };
    const type = response.status === 'completed' ? 'response.completed' : 'response.incomplete';
    this.#emit({ type, response });
    return `${this.#take()}data: [DONE]\n\n`;
  }

  /** Its events are sent with those of the end. */
  keptItems(): object[] {
    this.#endItems();
    return this.#items.kept();
  }

  #endItems(): ResponsesOutputItem[] {
    return (this.#output ??= this.#items.end(itemEndOf(this.#finish)));
  }

  /** Some clients look for an error event, others for a failed response. */
  fail(error: ApiError): string {
    const { code, message } = toResponsesError(error);
    this.#emit(toErrorEvent(error));
    const response = { ...this.#begun, status: 'failed' as const, error: { code, message } };
    this.#emit({ type: 'response.failed', response });
    return this.#take();
  }

  readonly #emit = (event: ItemEvent): void => {
    const numbered: ResponsesEvent = { ...event, sequence_number: this.#sequenceNumber++ };
    this.#text += toEvent(numbered, event.type);
  };

  #take(): string {
    const text = this.#text;
    this.#text = '';
    return text;
  }
}

function toErrorEvent(error: ApiError) {
  const told = toResponsesError(error);
  const { code, message, param } = told;
  return { type: 'error' as const, code, message, param, error: told };
}

function toBegun(of: AnswerIdentity, echo: Echo): ResponsesResponse {
  return {
    id: `resp_${idBodyOf(of)}`,
    ...echo,
    created_at: of.created,
    model: of.model,
    status: 'in_progress',
    error: null,
    incomplete_details: null,
    output: [],
    usage: null,
  };
}

type End = Pick<ResponsesResponse, 'status' | 'incomplete_details'>;

const COMPLETED: End = { status: 'completed', incomplete_details: null };

const ENDS: Readonly<Record<FinishReason, End>> = {
  stop: COMPLETED,
  tool_calls: COMPLETED,
  length: { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
  content_filter: { status: 'incomplete', incomplete_details: { reason: 'content_filter' } },
};

const itemEndOf = (finish: FinishReason): ItemEnd =>
  ENDS[finish].status === 'completed' ? 'completed' : 'incomplete';
