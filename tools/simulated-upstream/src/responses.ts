import { createHash } from 'node:crypto';
import { z } from 'zod';
import { behaviourOf, CANARY, faultOf, TOKENS_BEFORE_FAULT } from './behaviours';
import { sendHtml, type AnsweringSettings } from './chat-completions';
import { readChatRequest } from './chat-request';
import type { Content, Piece } from './content';
import type { Exchange } from './exchange';
import {
  composeAnswer,
  CREATED,
  errorBody,
  refuse,
  reportedUsage,
  tokensTooMany,
  type Answer,
  type Usage,
} from './response';
import { sendStream, type Chunk } from './streamed-response';
import { ENGINE_FAILED, sendBroken } from './whole-response';

const item = z.looseObject({ type: z.string().optional(), role: z.string().optional() });
const responsesRequest = z.looseObject({
  model: z.string().min(1),
  input: z.union([z.string(), z.array(item).min(1)]),
  max_output_tokens: z.int().min(1).optional(),
  tools: z.array(z.looseObject({ type: z.string(), name: z.string().optional() })).optional(),
  tool_choice: z.unknown().optional(),
  reasoning: z.looseObject({ effort: z.string().optional() }).optional(),
  include: z.array(z.string()).optional(),
  store: z.boolean().optional(),
  stream: z.boolean().optional(),
});

type ResponsesRequest = z.output<typeof responsesRequest>;
type Item = z.output<typeof item>;

/** `POST /v1/responses`, as in OpenAI's API, with the same models. Nothing is stored. */
export async function handleResponses(exchange: Exchange, settings: AnsweringSettings): Promise<void> {
  const parsed = responsesRequest.safeParse(exchange.received.body);
  if (!parsed.success) {
    const param = parsed.error.issues[0]?.path.join('.') ?? '';
    refuse(exchange, { status: 400, message: `${param}: ${CANARY.errorName}`, param });
    return;
  }
  const request = parsed.data;
  const behaviour = behaviourOf(request.model);
  const chat = readChatRequest(toChat(request));
  if (!behaviour || 'problem' in chat) {
    refuse(exchange, { status: behaviour ? 400 : 404, message: `${CANARY.host} knows no ${request.model}` });
    return;
  }
  if (!hasOwnSeals(request)) {
    const message = `${CANARY.host}: The encrypted content could not be verified.`;
    refuse(exchange, { status: 400, message, code: 'invalid_encrypted_content' });
    return;
  }
  if (behaviour.kind !== 'answers') {
    if (behaviour.kind === 'closes') await exchange.destroy();
    else if (behaviour.kind === 'html') sendHtml(exchange);
    else
      refuse(exchange, {
        status: behaviour.kind === 'refuses' ? behaviour.status : 500,
        message: CANARY.host,
      });
    return;
  }
  await exchange.wait(behaviour.delayMs ?? 0);
  const answer = await composeAnswer(chat.request, {
    toLimit: behaviour.length === 'limit',
    beyondAscii: behaviour.framing === 'split',
    reasons: behaviour.reasons === true || request.reasoning?.effort === 'high',
    runs: behaviour.runs === true,
  });
  if (tokensTooMany(answer, behaviour)) {
    await sayTooLong(exchange, request, answer);
    return;
  }
  const usage = reportedUsage(answer.usage, behaviour.usage, request.tools !== undefined);
  const whole = wholeOf(request, answer, usage);
  const fault = faultOf(behaviour, answer.usage.completion_tokens);
  if (request.stream === true) {
    const options = {
      tokensPerSecond: behaviour.paced && settings.tokensPerSecond,
      split: behaviour.framing === 'split',
      fault,
    };
    await sendStream(exchange, toEvents(request, answer, whole), options);
  } else if (fault) {
    const error = errorBody({ message: ENGINE_FAILED, type: 'server_error', code: 'server_error' });
    const unfinished = { ...startOf(answer), output: [messageOf(answer, firstTokensOf(answer), 0)] };
    await sendBroken(exchange, fault, { whole, unfinished, error });
  } else {
    exchange.received.tokensSent = answer.usage.completion_tokens;
    exchange.sendJson(200, whole);
  }
}

/** A stream has begun before it is known. */
async function sayTooLong(exchange: Exchange, request: ResponsesRequest, answer: Answer): Promise<void> {
  const code = 'context_length_exceeded';
  const message = `Your input exceeds the context window of this model. Please adjust your input and try again. ${CANARY.host}`;
  if (request.stream !== true) {
    refuse(exchange, { status: 400, message, code, param: 'input' });
    return;
  }
  const failed = { ...startOf(answer), status: 'failed', error: { code, message } };
  const closing = [silent({ type: 'response.failed', response: failed })];
  const atOnce = { tokensPerSecond: undefined, split: false, fault: undefined };
  await sendStream(exchange, { opening: openingOf(answer), pieces: [], closing }, atOnce);
}

const firstTokensOf = ({ choices: [choice] }: Answer): Piece[] =>
  (choice?.pieces ?? []).slice(0, TOKENS_BEFORE_FAULT);

/** The request as a chat, from which the response is made. */
function toChat(request: ResponsesRequest): object {
  const { model, max_output_tokens, input, tools, tool_choice: choice, stream } = request;
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : input;
  const functions = (tools ?? []).filter(({ type }) => type === 'function');
  return {
    model,
    ...(max_output_tokens !== undefined && { max_tokens: max_output_tokens }),
    ...(stream !== undefined && { stream }),
    messages: items.flatMap(toChatMessages),
    ...(functions.length > 0 && {
      tools: functions.map(({ name, parameters }) => ({ type: 'function', function: { name, parameters } })),
      ...(choice !== undefined && { tool_choice: toChatChoice(choice) }),
    }),
  };
}

function toChatChoice(choice: unknown): unknown {
  if (typeof choice !== 'object' || choice === null || !('name' in choice)) return choice;
  return { type: 'function', function: { name: choice.name } };
}

function toChatMessages(said: Item): object[] {
  switch (said.type) {
    case 'function_call': {
      const called = { name: said['name'], arguments: said['arguments'] };
      const call = { id: said['call_id'], type: 'function', function: called };
      return [{ role: 'assistant', content: null, tool_calls: [call] }];
    }
    case 'function_call_output':
      return [{ role: 'tool', tool_call_id: said['call_id'], content: textOf(said['output']) }];
    case 'message':
    case undefined:
      return [{ role: said.role === 'developer' ? 'system' : said.role, content: textOf(said['content']) }];
    default:
      return [];
  }
}

function textOf(said: unknown): string {
  if (typeof said === 'string') return said;
  if (!Array.isArray(said)) return '';
  return (said as Item[]).map(({ text }) => (typeof text === 'string' ? text : '')).join('');
}

/** The thought cannot be read from it, but is recognized again. */
const SEAL = /^gAAAA[A-Za-z0-9_-]{43}$/;
const sealOf = (thought: string): string =>
  `gAAAA${createHash('sha256').update(thought).digest('base64url')}`;

function hasOwnSeals({ input }: ResponsesRequest): boolean {
  const items = typeof input === 'string' ? [] : input;
  return items
    .filter(({ type }) => type === 'reasoning')
    .every(({ encrypted_content: seal }) => typeof seal === 'string' && SEAL.test(seal));
}

function startOf({ id, model }: Answer): object {
  return {
    id: id.replace(CANARY.completionId, `resp_${CANARY.completionId}`),
    object: 'response',
    created_at: CREATED,
    status: 'in_progress',
    error: null,
    incomplete_details: null,
    model,
    output: [],
    usage: null,
  };
}

function wholeOf(request: ResponsesRequest, answer: Answer, usage: Usage | undefined): object {
  const isCut = answer.choices[0]?.finishReason === 'length';
  return {
    ...startOf(answer),
    status: isCut ? 'incomplete' : 'completed',
    incomplete_details: isCut ? { reason: 'max_output_tokens' } : null,
    output: itemsOf(answer).map((pieces, index) => wholeItem(request, answer, pieces, index)),
    usage: usage ? toUsage(usage) : null,
  };
}

function toUsage(usage: Usage): object {
  const { prompt_tokens, completion_tokens, total_tokens } = usage;
  const { cached_tokens = 0, cache_write_tokens = 0 } = usage.prompt_tokens_details ?? {};
  return {
    input_tokens: prompt_tokens,
    input_tokens_details: { cached_tokens, cache_write_tokens },
    output_tokens: completion_tokens,
    output_tokens_details: {
      reasoning_tokens: usage.completion_tokens_details?.reasoning_tokens ?? 0,
    },
    total_tokens,
  };
}

/** The pieces of each item, in order. */
function itemsOf({ choices: [choice] }: Answer): Piece[][] {
  const items: Piece[][] = [];
  for (const piece of choice?.pieces ?? []) {
    const last = items.at(-1);
    if (last?.[0]?.kind === piece.kind && last[0].call === piece.call) last.push(piece);
    else items.push([piece]);
  }
  return items;
}

const joined = (pieces: readonly Piece[]): string => pieces.map(({ text }) => text).join('');
const idOf = (prefix: string, { id }: Answer, index: number): string => `${prefix}_${id}_${String(index)}`;

function messageOf(answer: Answer, pieces: readonly Piece[], index: number): object {
  const content = [{ type: 'output_text', text: joined(pieces), annotations: [], logprobs: [] }];
  return { id: idOf('msg', answer, index), type: 'message', role: 'assistant', status: 'completed', content };
}

function callOf({ choices: [choice] }: Answer, { call }: Piece): Content['toolCalls'][number] | undefined {
  return choice?.toolCalls[call];
}

function wholeItem(request: ResponsesRequest, answer: Answer, pieces: Piece[], index: number): object {
  const [first] = pieces;
  switch (first?.kind) {
    case 'reasoning_content': {
      const isSealed = request.include?.includes('reasoning.encrypted_content') === true;
      return {
        id: idOf('rs', answer, index),
        type: 'reasoning',
        summary: [{ type: 'summary_text', text: joined(pieces) }],
        ...(isSealed && { encrypted_content: sealOf(joined(pieces)) }),
      };
    }
    case 'arguments': {
      const { id: call_id, name } = callOf(answer, first) ?? {};
      const id = idOf('fc', answer, index);
      return { id, type: 'function_call', status: 'completed', call_id, name, arguments: joined(pieces) };
    }
    case 'content':
    case undefined:
      return messageOf(answer, pieces, index);
  }
}

const silent = (body: object): Chunk => ({ body, tokens: 0 });

const openingOf = (answer: Answer): Chunk[] =>
  ['response.created', 'response.in_progress'].map((type) => silent({ type, response: startOf(answer) }));

/** A stream of the response. Its last event contains all of it. */
function toEvents(request: ResponsesRequest, answer: Answer, whole: object) {
  const opening = openingOf(answer);
  const pieces = itemsOf(answer).flatMap((own, index) => itemEvents(request, answer, own, index));
  const type =
    'status' in whole && whole.status === 'incomplete' ? 'response.incomplete' : 'response.completed';
  return { opening, pieces, closing: [silent({ type, response: whole })] };
}

function itemEvents(request: ResponsesRequest, answer: Answer, pieces: Piece[], index: number): Chunk[] {
  const item = wholeItem(request, answer, pieces, index) as { id: string };
  const place = { output_index: index, item_id: item.id };
  const begun = wholeItem({ ...request, include: [] }, answer, pieces.slice(0, 1), index);
  return [
    silent({ type: 'response.output_item.added', output_index: index, item: emptied(begun) }),
    ...pieces.map((piece) => ({ body: { ...deltaOf(piece), ...place }, tokens: 1 })),
    silent({ type: 'response.output_item.done', output_index: index, item }),
  ];
}

function emptied(item: object): object {
  return {
    ...item,
    ...('summary' in item && { summary: [] }),
    ...('content' in item && { content: [] }),
    ...('arguments' in item && { arguments: '' }),
  };
}

function deltaOf({ kind, text: delta }: Piece): object {
  switch (kind) {
    case 'reasoning_content':
      return { type: 'response.reasoning_summary_text.delta', summary_index: 0, delta };
    case 'arguments':
      return { type: 'response.function_call_arguments.delta', delta };
    case 'content':
      return { type: 'response.output_text.delta', content_index: 0, delta };
  }
}
