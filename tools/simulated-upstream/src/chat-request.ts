import { createHash } from 'node:crypto';
import { z } from 'zod';

const messageSchema = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
  content: z
    .union([z.string(), z.array(z.looseObject({ type: z.string(), text: z.string().optional() }))])
    .nullish(),
  name: z.string().optional(),
  tool_calls: z.array(z.unknown()).optional(),
});

const toolSchema = z.looseObject({
  type: z.literal('function'),
  function: z.looseObject({ name: z.string().min(1), parameters: z.unknown().optional() }),
});

const toolChoiceSchema = z.union([
  z.enum(['none', 'auto', 'required']),
  z.looseObject({ type: z.literal('function'), function: z.looseObject({ name: z.string() }) }),
]);

const responseFormatSchema = z.union([
  z.looseObject({ type: z.enum(['text', 'json_object']) }),
  z.looseObject({ type: z.literal('json_schema'), json_schema: z.looseObject({ schema: z.unknown() }) }),
]);

const tokenLimit = z.int().min(1).nullish();

/** The fields of a chat completion request that change the response. All others are accepted and recorded. */
const chatRequestSchema = z.looseObject({
  model: z.string().min(1),
  messages: z.array(messageSchema).min(1),
  max_tokens: tokenLimit,
  max_completion_tokens: tokenLimit,
  n: z.int().min(1).max(128).nullish(),
  seed: z.int().nullish(),
  stop: z.union([z.string(), z.array(z.string()).max(4)]).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
  tools: z.array(toolSchema).optional(),
  tool_choice: toolChoiceSchema.optional(),
  parallel_tool_calls: z.boolean().optional(),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  response_format: responseFormatSchema.optional(),
});

export type ChatRequest = z.infer<typeof chatRequestSchema>;
export type Message = ChatRequest['messages'][number];
export type Tool = NonNullable<ChatRequest['tools']>[number];

type ReadResult = { request: ChatRequest } | { problem: { message: string; param: string | null } };

/** Validates a parsed body as far as the response depends on it. */
export function readChatRequest(body: unknown): ReadResult {
  const result = chatRequestSchema.safeParse(body);
  if (result.success) return { request: result.data };
  const [issue] = result.error.issues;
  const param = issue?.path.map(String).join('.') ?? '';
  return {
    problem: { message: issue?.message ?? 'The body is not a chat request.', param: param || null },
  };
}

/** The token limit of a request, under either of its names. */
export function tokenLimitOf(request: ChatRequest): number | undefined {
  return request.max_completion_tokens ?? request.max_tokens ?? undefined;
}

export interface ToolCall {
  id: string;
  name: string;
}

/**
 * The tools that the response calls: the one in `tool_choice`, else those that the last user message requests with
 * "call <name>" (unless a tool has answered since), else the first if one is required. Only one if
 * `parallel_tool_calls` is false.
 */
export function chooseTools(request: ChatRequest): Tool[] {
  const { tools, tool_choice: choice, messages } = request;
  if (!tools || choice === 'none') return [];
  if (typeof choice === 'object') return tools.filter((tool) => tool.function.name === choice.function.name);

  const lastUserAt = messages.findLastIndex(({ role }) => role === 'user');
  const isAnswered = messages.slice(lastUserAt + 1).some(({ role }) => role === 'tool');
  const wanted = isAnswered ? '' : textOf(messages[lastUserAt]);
  const asked = tools.filter((tool) => wanted.includes(`call ${tool.function.name}`));
  const called = asked.length === 0 && choice === 'required' ? tools.slice(0, 1) : asked;
  return request.parallel_tool_calls === false ? called.slice(0, 1) : called;
}

/** The call of a tool, the n-th of the response. */
export function toolCallOf(tool: Tool, n: number, seed: string): ToolCall {
  const text = `tool ${seed}${n === 0 ? '' : ` ${String(n)}`}`;
  const id = `call_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`;
  return { id, name: tool.function.name };
}

/** The text of a message, its parts joined. */
export function textOf(message: Message | undefined): string {
  const content = message?.content ?? '';
  return typeof content === 'string' ? content : content.map((part) => part.text ?? '').join(' ');
}

const LONGEST_QUOTATION = 200;

/**
 * A sentence for each tool that has answered since the last user message, so that the client sees the result arrive.
 */
export function toolResultsOf({ messages }: ChatRequest): string {
  const lastUserAt = messages.findLastIndex(({ role }) => role === 'user');
  return messages
    .slice(lastUserAt + 1)
    .filter(({ role }) => role === 'tool')
    .map((message) => `The tool says ${textOf(message).slice(0, LONGEST_QUOTATION)}. `)
    .join('');
}
