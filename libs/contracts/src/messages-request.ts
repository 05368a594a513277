import { z } from 'zod';
import { CHAT_REQUEST_LIMITS } from './fields';
import { jsonSchema } from './chat-tools';
import { conversationMessage, SERVER_BLOCKS, systemText } from './messages-blocks';
import { findFieldsBeside, type UnknownFields } from './describe-issue';

const { modelLength, messages: mostMessages, labelLength } = CHAT_REQUEST_LIMITS;

/** More than chat completions have: an agent brings the tools of all its servers. */
const MOST_TOOLS = 512;
const MOST_STOP_SEQUENCES = 16;
const USER_ID_LENGTH = 1_024;

const toolName = z.string().regex(/^[A-Za-z0-9_-]{1,128}$/, 'must be 1 to 128 letters, digits, _ or -');

const cacheControl = z
  .object({ type: z.literal('ephemeral'), ttl: z.enum(['5m', '1h']).nullish() })
  .nullish();

const customTool = z.object({
  type: z.literal('custom').nullish(),
  name: toolName,
  description: z.string().nullish(),
  input_schema: jsonSchema,
  strict: z.boolean().nullish(),
  cache_control: cacheControl,
});

/** A tool whose definition, or whose machine, is Anthropic's: `web_search_20250305`. Left out by its name. */
const serverTool = z.object({ type: z.string().regex(/^[a-z0-9_]+_\d{8}$/i), name: z.string().optional() });

export type CustomTool = z.output<typeof customTool>;
type AnyTool = CustomTool | z.output<typeof serverTool>;

export function isCustomTool(tool: AnyTool): tool is CustomTool {
  return tool.type == null || tool.type === 'custom';
}

const parallel = { disable_parallel_tool_use: z.boolean().nullish() };

const thinking = z.object({
  type: z.enum(['enabled', 'disabled', 'adaptive', 'between_tools']),
  budget_tokens: z.int().min(1).nullish(),
  display: z.enum(['summarized', 'omitted']).nullish(),
});

/** What changes the prompt: the fields of `POST /v1/messages/count_tokens`. */
const promptFields = {
  model: z.string().min(1).max(modelLength),
  messages: z.array(conversationMessage).min(1).max(mostMessages),
  system: systemText.nullish(),
  tools: z
    .array(z.union([customTool, serverTool]))
    .max(MOST_TOOLS)
    .nullish(),
  tool_choice: z
    .discriminatedUnion('type', [
      z.object({ type: z.literal('auto'), ...parallel }),
      z.object({ type: z.literal('any'), ...parallel }),
      z.object({ type: z.literal('tool'), name: toolName, ...parallel }),
      z.object({ type: z.literal('none') }),
    ])
    .nullish(),
  thinking: thinking.nullish(),
  output_config: z
    .object({
      effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).nullish(),
      format: z.object({ type: z.literal('json_schema'), schema: jsonSchema }).nullish(),
    })
    .nullish(),
  cache_control: cacheControl,
};

interface ToolFields {
  tools?: AnyTool[] | null | undefined;
  tool_choice?: object | null | undefined;
}

function hasChosenTool({ tools, tool_choice: choice }: ToolFields): boolean {
  if (choice == null || !('name' in choice)) return true;
  return (tools ?? []).some((tool) => isCustomTool(tool) && tool.name === choice.name);
}

const CHOSEN_TOOL_IS_MISSING = { path: ['tool_choice', 'name'], message: 'must be one of the tools' };

/** Body of `POST /v1/messages/count_tokens`. Fields of a message that is to be created are left out. */
export const countTokensRequest = z.object(promptFields).refine(hasChosenTool, CHOSEN_TOOL_IS_MISSING);

/**
 * Body of `POST /v1/messages`. What is not known is left out, as for chat completions. Source: Anthropic API reference,
 * create a message; docs/decisions.md, "Messages".
 */
export const messagesRequest = z
  .object({
    ...promptFields,
    max_tokens: z.int().min(1),
    stop_sequences: z.array(z.string().min(1)).max(MOST_STOP_SEQUENCES).nullish(),
    temperature: z.number().min(0).max(1).nullish(),
    top_p: z.number().min(0).max(1).nullish(),
    stream: z.boolean().nullish(),
    metadata: z.object({ user_id: z.string().max(USER_ID_LENGTH).nullish() }).nullish(),
    service_tier: z.string().max(labelLength).nullish(),
  })
  .refine(hasChosenTool, CHOSEN_TOOL_IS_MISSING);

export type MessagesRequest = z.output<typeof messagesRequest>;
export type CountTokensRequest = z.output<typeof countTokensRequest>;

const KNOWN_FIELDS = new Set(Object.keys(messagesRequest.shape));
const SERVER_BLOCK_TYPES = new Set<string>(SERVER_BLOCKS);

/** What of a body was left out when it was read as `taken`: fields, tools and blocks of other machines. */
export function findUnknownMessagesFields(
  body: unknown,
  taken: MessagesRequest | CountTokensRequest,
): UnknownFields {
  const elsewhere = new Set<string>();
  for (const tool of taken.tools ?? []) if (!isCustomTool(tool)) elsewhere.add(`tools.${tool.type}`);
  for (const { content } of taken.messages) {
    if (typeof content === 'string') continue;
    for (const { type } of content)
      if (SERVER_BLOCK_TYPES.has(type)) elsewhere.add(`messages.content.${type}`);
  }
  const { own, inner } = findFieldsBeside(KNOWN_FIELDS, body, taken);
  return { own, inner: [...elsewhere, ...inner] };
}
