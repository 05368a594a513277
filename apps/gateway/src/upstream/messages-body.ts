import {
  servedChoice,
  type AssistantBlock,
  type ChatCompletionRequest,
  type CountTokensRequest,
  type UserBlock,
} from '@farebox/api';
import type { Dialect } from '@farebox/catalog';
import type { WrittenJson } from '@farebox/flow';
import { stopsOf } from './answers';
import { toServerCallId } from './call-ids';
import type { ClientTools } from './client-tools';
import type { CustomTools } from './custom-tools';
import {
  effortOf,
  goesOnWithoutThought,
  saysSomething,
  toPromptOfMessages,
  type ReadArguments,
} from './chat-to-messages';
import { withFoundTools } from './found-tools';
import { isOfMessages } from './seals';
import { withSystemSaidByUser } from './system-turns';

export type ReasoningSummary = 'auto' | 'concise' | 'detailed';

/** The request to the servers of a model. */
export interface AskedOfServers {
  request: ChatCompletionRequest;
  /** The customer's request, if it was a message: a Messages server gets the same. */
  original?: CountTokensRequest | undefined;
  /** How a model summarises its thoughts if it does not show them. */
  reasoningSummary?: ReasoningSummary | undefined;
  /** Functions that stand for tools with text input. */
  customTools?: CustomTools | undefined;
  /** Functions that stand for OpenAI's client-run tools. */
  clientTools?: ClientTools | undefined;
  /** Fields of other vendors that the catalogue allows for the model. */
  extraFields: Readonly<Record<string, unknown>>;
  /** The long strings of its body, as they were written. */
  written?: WrittenJson | undefined;
  /** Set for a long request for a Messages server: its arguments were read in turns. */
  readArguments?: ReadArguments | undefined;
  /** Always sent, so that the output cannot cost more than the hold. */
  maxOutputTokens: number;
}

/**
 * The smallest budget with which a model thinks. Source: Anthropic API reference, `thinking.budget_tokens`.
 */
const LEAST_BUDGET_TOKENS = 1_024;

/** The body of `POST /v1/messages` without the model and the limit. It never identifies the customer. */
export function toMessagesFields(
  { request, original, extraFields, maxOutputTokens, readArguments, written }: AskedOfServers,
  dialect: Dialect,
): Record<string, unknown> {
  const isAdaptive = dialect.thinking === 'adaptive';
  const own = original
    ? ownPrompt(original, dialect)
    : toPromptOfMessages(request, isAdaptive, { readArguments, strings: written });
  const prompt = isAdaptive ? thinkingAdaptively(own) : own;
  const thinking = fitThinking(prompt['thinking'] as Thinking, maxOutputTokens);
  const sampling = thinking || isAdaptive ? {} : samplingOf(request);
  const stops = stopsOf(request);
  return withoutNulls({
    ...extraFields,
    ...sampling,
    ...prompt,
    thinking,
    ...(stops.length > 0 && { stop_sequences: stops }),
    ...(request.stream === true && { stream: true }),
  });
}

/** The messages wire allows a temperature of at most 1. */
function samplingOf({ temperature, top_p }: ChatCompletionRequest): object {
  return {
    ...(temperature != null && { temperature: Math.min(temperature, 1) }),
    ...(top_p != null && { top_p }),
  };
}

type Thinking = CountTokensRequest['thinking'];

/** The output limit may have been lowered, and the thinking budget must be smaller. */
function fitThinking(thinking: Thinking, maxOutputTokens: number): Thinking | undefined {
  if (thinking?.type !== 'enabled' || thinking.budget_tokens == null) return thinking ?? undefined;
  const budget_tokens = Math.min(thinking.budget_tokens, maxOutputTokens - 1);
  return budget_tokens < LEAST_BUDGET_TOKENS ? undefined : { ...thinking, budget_tokens };
}

/**
 * Models that think adaptively take an effort in place of a budget, and no sampling fields. Source: Anthropic
 * API reference, adaptive thinking.
 */
function thinkingAdaptively(prompt: Record<string, unknown>): Record<string, unknown> {
  const thinking = prompt['thinking'] as Thinking;
  if (thinking?.type !== 'enabled') return prompt;
  const { budget_tokens: budget, ...others } = thinking;
  const output = prompt['output_config'] as CountTokensRequest['output_config'];
  const effort = output?.effort ?? effortOf(budget);
  return { ...prompt, thinking: { ...others, type: 'adaptive' }, output_config: { ...output, effort } };
}

/**
 * The customer's prompt, restricted to validated fields and without what servers of other vendors do not
 * know.
 */
function ownPrompt(original: CountTokensRequest, { roleSystem }: Dialect): Record<string, unknown> {
  const { system, thinking, output_config, cache_control } = original;
  const { tools, messages } = withFoundTools(original);
  const own = messages.map((message) =>
    typeof message.content === 'string'
      ? message
      : { ...message, content: (message.content as AnyBlock[]).filter(isOwn).map(withoutOthers) },
  );
  const said = own.filter(({ content }) => content.length > 0) as CountTokensRequest['messages'];
  const saidByUser = withSystemSaidByUser(said);
  return withoutNulls({
    messages: roleSystem === 'user' ? saidByUser : said,
    system,
    ...(tools.length > 0 && { tools, tool_choice: servedChoice(original) }),
    thinking: thinking?.type === 'enabled' && goesOnWithoutThought(saidByUser) ? undefined : thinking,
    output_config,
    cache_control,
  });
}

/**
 * The same without the client's `cache_control`, for a server whose cache is hidden from customers: a cache
 * write costs more than input, and what is not shown is not charged.
 */
export function withoutCacheControl(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { messages, system, tools, ...others } = fields;
  return {
    ...uncached(others),
    messages: (messages as { content: unknown }[]).map(uncachedBlock),
    ...(system !== undefined && { system: uncachedBlocks(system) }),
    ...(tools !== undefined && { tools: (tools as object[]).map(uncached) }),
  };
}

function uncached(fields: object): object {
  const others = { ...fields };
  delete (others as { cache_control?: unknown }).cache_control;
  return others;
}

const uncachedBlocks = (content: unknown): unknown =>
  Array.isArray(content) ? content.map(uncachedBlock) : content;

/** Takes a block or a message. Blocks occur in messages, tool results and documents. */
function uncachedBlock(block: { content?: unknown; source?: unknown }): object {
  const { content, source } = block;
  return {
    ...uncached(block),
    ...(Array.isArray(content) && { content: uncachedBlocks(content) }),
    ...(typeof source === 'object' && source !== null && { source: uncachedBlock(source) }),
  };
}

type AnyBlock = UserBlock | AssistantBlock;

const OWN_TYPES = new Set<string>([
  ...['text', 'image', 'document', 'search_result', 'tool_result'],
  ...['thinking', 'redacted_thinking', 'tool_use'],
]);

/** A thought without a signature came from another server. */
function isOwn(block: AnyBlock): boolean {
  if (block.type === 'thinking') return Boolean(block.signature);
  if (block.type === 'redacted_thinking') return isOfMessages(block.data);
  if (block.type === 'text') return saysSomething(block.text);
  return OWN_TYPES.has(block.type);
}

/** Gives the block an id that the server accepts and removes what the server does not know. */
function withoutOthers(block: AnyBlock): AnyBlock {
  if (block.type === 'tool_use') return { ...block, id: toServerCallId(block.id, 'messages') };
  if (block.type !== 'tool_result') return block;
  const { content } = block;
  return {
    ...block,
    ...(Array.isArray(content) && {
      content: content.filter(
        (one) => one.type !== 'other' && (one.type !== 'text' || saysSomething(one.text)),
      ),
    }),
    tool_use_id: toServerCallId(block.tool_use_id, 'messages'),
  };
}

function withoutNulls(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null));
}
