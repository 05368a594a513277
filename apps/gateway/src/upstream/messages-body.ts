import {
  servedChoice,
  type AssistantBlock,
  type ChatCompletionRequest,
  type CountTokensRequest,
  type UserBlock,
} from '@farebox/api';
import type { Dialect } from '@farebox/catalog';
import { stopsOf } from './answers';
import { toServerCallId } from './call-ids';
import type { ClientTools } from './client-tools';
import type { CustomTools } from './custom-tools';
import { effortOf, goesOnWithoutThought, saysSomething, toPromptOfMessages } from './chat-to-messages';
import { withFoundTools } from './found-tools';
import { isOfMessages } from './seals';
import { withSystemSaidByUser } from './system-turns';

export type ReasoningSummary = 'auto' | 'concise' | 'detailed';

/** What is asked of the servers of a model. */
export interface AskedOfServers {
  request: ChatCompletionRequest;
  /** What the customer sent, if they sent a message: a server of messages is sent the same. */
  original?: CountTokensRequest | undefined;
  /** How a model is to say what it thinks, where it does not show it. */
  reasoningSummary?: ReasoningSummary | undefined;
  /** Functions of the request that stand for tools whose input is a text. */
  customTools?: CustomTools | undefined;
  /** Functions of the request that stand for tools of OpenAI's which the client runs. */
  clientTools?: ClientTools | undefined;
  /** Fields of other vendors that the catalogue allows for the model. */
  extraFields: Readonly<Record<string, unknown>>;
  /** Always sent, so that the output cannot cost more than the hold. */
  maxOutputTokens: number;
}

/** Below this a model does not think. Source: Anthropic API reference, `thinking.budget_tokens`. */
const LEAST_BUDGET_TOKENS = 1_024;

/** The body of `POST /v1/messages`, without the model and the limit. Nothing in it says who the customer is. */
export function toMessagesFields(
  { request, original, extraFields, maxOutputTokens }: AskedOfServers,
  dialect: Dialect,
): Record<string, unknown> {
  const isAdaptive = dialect.thinking === 'adaptive';
  const own = original ? ownPrompt(original, dialect) : toPromptOfMessages(request, isAdaptive);
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

/** Of messages a temperature is at most 1. */
function samplingOf({ temperature, top_p }: ChatCompletionRequest): object {
  return {
    ...(temperature != null && { temperature: Math.min(temperature, 1) }),
    ...(top_p != null && { top_p }),
  };
}

type Thinking = CountTokensRequest['thinking'];

/** The limit of output may have been lowered: what is thought must be less. */
function fitThinking(thinking: Thinking, maxOutputTokens: number): Thinking | undefined {
  if (thinking?.type !== 'enabled' || thinking.budget_tokens == null) return thinking ?? undefined;
  const budget_tokens = Math.min(thinking.budget_tokens, maxOutputTokens - 1);
  return budget_tokens < LEAST_BUDGET_TOKENS ? undefined : { ...thinking, budget_tokens };
}

/**
 * Models that think adaptively know no budget: they are told how much effort to make. They take no sampling either.
 * Source: Anthropic API reference, adaptive thinking.
 */
function thinkingAdaptively(prompt: Record<string, unknown>): Record<string, unknown> {
  const thinking = prompt['thinking'] as Thinking;
  if (thinking?.type !== 'enabled') return prompt;
  const { budget_tokens: budget, ...others } = thinking;
  const output = prompt['output_config'] as CountTokensRequest['output_config'];
  const effort = output?.effort ?? effortOf(budget);
  return { ...prompt, thinking: { ...others, type: 'adaptive' }, output_config: { ...output, effort } };
}

/** The prompt as it was sent: only what was read of it, and without what no server of another service knows. */
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
 * The same without a client's `cache_control`, for a server whose cache is hidden from customers: writing to a cache costs
 * more than input, and what is not shown is not charged.
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

/** A message too. Blocks stand in messages, in results of tools and in documents. */
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

/** A thought without a signature was another server's. */
function isOwn(block: AnyBlock): boolean {
  if (block.type === 'thinking') return Boolean(block.signature);
  if (block.type === 'redacted_thinking') return isOfMessages(block.data);
  if (block.type === 'text') return saysSomething(block.text);
  return OWN_TYPES.has(block.type);
}

/** With an id that the server takes, and without what it does not know. */
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
