import { createHash } from 'node:crypto';
import { z } from 'zod';
import { behaviourOf, CANARY, faultOf, TOKENS_BEFORE_FAULT } from './behaviours';
import { readChatRequest } from './chat-request';
import { sendHtml, type AnsweringSettings } from './chat-completions';
import type { Content, Piece } from './content';
import type { Exchange } from './exchange';
import { composeAnswer, reportedUsage, tokensTooMany, type Answer, type Usage } from './response';
import { sendStream, type Chunk } from './streamed-response';
import { countTokens } from './text';
import { ENGINE_FAILED, sendBroken } from './whole-response';

const block = z.looseObject({ type: z.string() });
const content = z.union([z.string(), z.array(block)]);
const messagesRequest = z.looseObject({
  model: z.string().min(1),
  max_tokens: z.int().min(1),
  messages: z.array(z.looseObject({ role: z.enum(['user', 'assistant', 'system']), content })).min(1),
  system: content.optional(),
  tools: z.array(z.looseObject({ name: z.string(), input_schema: z.unknown() })).optional(),
  tool_choice: z.looseObject({ type: z.enum(['auto', 'any', 'tool', 'none']) }).optional(),
  thinking: z.looseObject({ type: z.string() }).optional(),
  stop_sequences: z.array(z.string()).optional(),
  stream: z.boolean().optional(),
});

type MessagesRequest = z.output<typeof messagesRequest>;
type Block = z.output<typeof block>;

/** `POST /v1/messages`, as in Anthropic's API, with the same models. */
export async function handleMessages(exchange: Exchange, settings: AnsweringSettings): Promise<void> {
  const parsed = messagesRequest.safeParse(exchange.received.body);
  if (!parsed.success) {
    refuse(exchange, 400, `${parsed.error.issues[0]?.path.join('.') ?? ''}: ${CANARY.errorName}`);
    return;
  }
  const request = parsed.data;
  const behaviour = behaviourOf(request.model);
  const chat = readChatRequest(toChat(request));
  if (!behaviour || 'problem' in chat) {
    refuse(exchange, behaviour ? 400 : 404, `${CANARY.host} does not know ${request.model}`);
    return;
  }
  if (request.messages.some(({ role }) => role === 'system')) {
    refuse(
      exchange,
      400,
      `messages: Unexpected role "system". ${CANARY.host} accepts a top-level \`system\`.`,
    );
    return;
  }
  if (!hasOwnSignatures(request)) {
    refuse(exchange, 400, `${CANARY.host}: Invalid \`signature\` in \`thinking\` block`);
    return;
  }
  if (behaviour.kind !== 'answers') {
    if (behaviour.kind === 'closes') await exchange.destroy();
    else if (behaviour.kind === 'html') sendHtml(exchange);
    else refuse(exchange, behaviour.kind === 'refuses' ? behaviour.status : 500, CANARY.host);
    return;
  }
  await exchange.wait(behaviour.delayMs ?? 0);
  const answer = await composeAnswer(chat.request, {
    toLimit: behaviour.length === 'limit',
    beyondAscii: behaviour.framing === 'split',
    reasons: behaviour.reasons === true || request.thinking?.type === 'enabled',
    runs: behaviour.runs === true,
  });
  const tooMany = tokensTooMany(answer, behaviour);
  if (tooMany) {
    const counts = `${String(tooMany.tokens)} tokens > ${String(tooMany.most)} maximum`;
    refuse(exchange, 400, `prompt is too long: ${counts} ${CANARY.host}`);
    return;
  }
  const usage = reportedUsage(answer.usage, behaviour.usage, request.tools !== undefined);
  const told = usage && toUsage(usage, await cacheOf(request, settings.promptCache));
  const fault = faultOf(behaviour, answer.usage.completion_tokens);
  if (request.stream === true) {
    const options = {
      tokensPerSecond: behaviour.paced && settings.tokensPerSecond,
      split: behaviour.framing === 'split',
      fault,
    };
    await sendStream(exchange, toEvents(request, answer, told), options);
  } else {
    const blocks = blocksOf(answer).map((pieces) => wholeBlock(answer, pieces));
    const whole = { ...startOf(answer), content: blocks, ...stopOf(request, answer), usage: told };
    if (fault) {
      const error = { type: 'error', error: { type: 'api_error', message: ENGINE_FAILED } };
      await sendBroken(exchange, fault, { whole, unfinished: unfinishedOf(answer), error });
      return;
    }
    exchange.received.tokensSent = answer.usage.completion_tokens;
    exchange.sendJson(200, whole);
  }
}

/** The first tokens, without a stop reason. */
function unfinishedOf(answer: Answer): object {
  const text = joined((answer.choices[0]?.pieces ?? []).slice(0, TOKENS_BEFORE_FAULT));
  return { ...startOf(answer), content: [{ type: 'text', text }] };
}

const TYPE_OF_STATUS: Partial<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  503: 'overloaded_error',
};

function refuse(exchange: Exchange, status: number, message: string): void {
  const error = { type: TYPE_OF_STATUS[status] ?? 'api_error', message };
  exchange.sendJson(status, { type: 'error', error, request_id: `${CANARY.requestId}9` });
}

/** The request as a chat, from which the response is made. */
function toChat(request: MessagesRequest): object {
  const { model, max_tokens, tools, tool_choice: choice, stop_sequences: stop, stream } = request;
  return {
    model,
    max_tokens,
    ...(stop && { stop: stop.slice(0, 4) }),
    ...(stream !== undefined && { stream }),
    messages: [
      ...(request.system === undefined ? [] : [{ role: 'system', content: textOf(request.system) }]),
      ...request.messages.flatMap(({ role, content: said }) => toChatMessages(role, said)),
    ],
    ...(tools && {
      tools: tools.map(({ name, input_schema: parameters }) => ({
        type: 'function',
        function: { name, parameters },
      })),
      ...(choice && { tool_choice: toChatChoice(choice) }),
    }),
  };
}

function toChatChoice(choice: { type: string; name?: unknown }): unknown {
  if (choice.type === 'tool') return { type: 'function', function: { name: choice.name } };
  return choice.type === 'any' ? 'required' : choice.type;
}

function toChatMessages(role: string, said: string | Block[]): object[] {
  if (typeof said === 'string') return [{ role, content: said }];
  const results = said
    .filter(({ type }) => type === 'tool_result')
    .map((result) => ({
      role: 'tool',
      tool_call_id: result['tool_use_id'],
      content: textOf(result['content']),
    }));
  const calls = said.filter(({ type }) => type === 'tool_use');
  const text = textOf(said);
  const own =
    text === '' && calls.length === 0
      ? []
      : [{ role, content: text, ...(calls.length > 0 && { tool_calls: calls }) }];
  return [...results, ...own];
}

function textOf(said: unknown): string {
  if (typeof said === 'string') return said;
  if (!Array.isArray(said)) return '';
  return (said as Block[]).map(({ type, text }) => (type === 'text' ? String(text) : '')).join('');
}

const signatureOf = (thinking: string): string =>
  `sig-${createHash('sha256').update(thinking).digest('base64')}`;

/** Thoughts must come back unchanged, with their signature. */
function hasOwnSignatures({ messages }: MessagesRequest): boolean {
  const blocks = messages.flatMap(({ content: said }) => (typeof said === 'string' ? [] : said));
  return blocks
    .filter(({ type }) => type === 'thinking')
    .every(({ thinking, signature }) => signature === signatureOf(String(thinking)));
}

/** A server's memory of prompts whose clients requested caching: the newest ones. */
type PromptCache = Set<string>;
const MOST_CACHED = 10_000;

/** The tokens up to the last block with `cache_control`: written the first time, read from then on. */
async function cacheOf(
  request: MessagesRequest,
  cache: PromptCache,
): Promise<{ read: number; written: number }> {
  const parts = [request.tools ?? [], request.system ?? [], ...request.messages].map((part) =>
    JSON.stringify(part),
  );
  const last = parts.findLastIndex((part) => part.includes('"cache_control":{'));
  if (last < 0) return { read: 0, written: 0 };
  // The caching mark is not part of the cached text.
  const prefix = parts
    .slice(0, last + 1)
    .join('\n')
    .replaceAll(/,?"cache_control":\{[^}]*\}/g, '');
  const digest = createHash('sha256').update(prefix).digest('base64');
  const tokens = await countTokens(prefix);
  if (cache.has(digest)) return { read: tokens, written: 0 };
  const [oldest] = cache;
  if (cache.size >= MOST_CACHED && oldest !== undefined) cache.delete(oldest);
  cache.add(digest);
  return { read: 0, written: tokens };
}

function toUsage(
  { prompt_tokens, completion_tokens }: Usage,
  { read, written }: { read: number; written: number },
) {
  return {
    input_tokens: Math.max(1, prompt_tokens - read - written),
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
    output_tokens: completion_tokens,
    service_tier: 'standard',
  };
}

function startOf({ id, model }: Answer): object {
  return {
    id: id.replace(CANARY.completionId, `msg_${CANARY.completionId}`),
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
  };
}

const STOP_REASONS = { stop: 'end_turn', length: 'max_tokens', tool_calls: 'tool_use' } as const;

function stopOf({ stop_sequences: stops = [] }: MessagesRequest, { choices: [choice] }: Answer): object {
  const reason = choice?.finishReason ?? 'stop';
  const stopped = reason === 'stop' ? stops[0] : undefined;
  // The calculation ends its text before a sequence; whether it would have continued is unknown here.
  const isStopped = stopped !== undefined && !saidOf(choice).endsWith('.');
  return isStopped
    ? { stop_reason: 'stop_sequence', stop_sequence: stopped }
    : { stop_reason: STOP_REASONS[reason], stop_sequence: null };
}

const saidOf = (choice: Content | undefined): string =>
  (choice?.pieces ?? []).map(({ text }) => text).join('');

/** The pieces of each block, in order; none for a call without arguments. */
function blocksOf({ choices: [choice] }: Answer): Piece[][] {
  const blocks: Piece[][] = [];
  for (const piece of choice?.pieces ?? []) {
    const last = blocks.at(-1);
    const [former] = last ?? [];
    if (last && former?.kind === piece.kind && former.call === piece.call) last.push(piece);
    else blocks.push([piece]);
  }
  return blocks;
}

const joined = (pieces: readonly Piece[]): string => pieces.map(({ text }) => text).join('');

function wholeBlock(answer: Answer, pieces: readonly Piece[]): object {
  const text = joined(pieces);
  switch (pieces[0]?.kind) {
    case 'reasoning_content':
      return { type: 'thinking', thinking: text, signature: signatureOf(text) };
    case 'arguments':
      return { ...emptyBlock(answer, pieces), input: JSON.parse(text) as unknown };
    case 'content':
    case undefined:
      return { type: 'text', text };
  }
}

function emptyBlock({ choices: [choice] }: Answer, [first]: readonly Piece[]): object {
  switch (first?.kind) {
    case 'reasoning_content':
      return { type: 'thinking', thinking: '', signature: '' };
    case 'arguments': {
      const { id = '', name = '' } = choice?.toolCalls[first.call] ?? {};
      return { type: 'tool_use', id: id.replace('call_', 'toolu_'), name, input: {} };
    }
    case 'content':
    case undefined:
      return { type: 'text', text: '' };
  }
}

function deltaOf({ kind, text }: Piece): object {
  switch (kind) {
    case 'reasoning_content':
      return { type: 'thinking_delta', thinking: text };
    case 'arguments':
      return { type: 'input_json_delta', partial_json: text };
    case 'content':
      return { type: 'text_delta', text };
  }
}

const silent = (body: object): Chunk => ({ body, tokens: 0 });

/** A stream of the response: the start of the first block comes before its first token. */
function toEvents(request: MessagesRequest, answer: Answer, usage: ReturnType<typeof toUsage> | undefined) {
  const begun = usage && { ...usage, output_tokens: 1 };
  const opening = [
    silent({ type: 'message_start', message: { ...startOf(answer), usage: begun } }),
    silent({ type: 'ping' }),
  ];
  const pieces: Chunk[] = [];
  for (const [index, block] of blocksOf(answer).entries()) {
    const start = silent({ type: 'content_block_start', index, content_block: emptyBlock(answer, block) });
    if (index === 0) opening.push(start);
    else pieces.push(silent({ type: 'content_block_stop', index: index - 1 }), start);
    for (const piece of block)
      pieces.push({ body: { type: 'content_block_delta', index, delta: deltaOf(piece) }, tokens: 1 });
    if (block[0]?.kind === 'reasoning_content') {
      const delta = { type: 'signature_delta', signature: signatureOf(joined(block)) };
      pieces.push(silent({ type: 'content_block_delta', index, delta }));
    }
  }
  const last = blocksOf(answer).length - 1;
  const closing = [
    ...(last < 0 ? [] : [silent({ type: 'content_block_stop', index: last })]),
    silent({
      type: 'message_delta',
      delta: stopOf(request, answer),
      usage: usage && { output_tokens: usage.output_tokens },
    }),
    silent({ type: 'message_stop' }),
  ];
  return { opening, pieces, closing };
}
