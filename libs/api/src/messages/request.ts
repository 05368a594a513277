import { z } from 'zod';
import { BASE64_PATTERN, isBase64 } from '../base64';
import { IMAGE_ADDRESS_MESSAGE, toImageAddress } from '../chat/messages';
import { jsonSchema } from '../chat/tools';
import { findFieldsBeside, noneOf, toOther, type UnknownFields } from '../describe-issue';
import { CHAT_REQUEST_LIMITS } from '../fields';
import { givenObject } from '../given-object';
import { changed } from '../own-reading';

const { partsOfMessage, toolCallIdLength, fileNameLength } = CHAT_REQUEST_LIMITS;

/** The end of a cached prompt prefix. Only an upstream of the Messages API reads it. */
const cacheControl = z
  .object({ type: z.literal('ephemeral'), ttl: z.enum(['5m', '1h']).nullish() })
  .nullish();
const cached = { cache_control: cacheControl };

const base64 = z
  .string()
  .refine((text) => isBase64(text), 'must be base64')
  .meta({ pattern: `^${BASE64_PATTERN}` });

const textBlock = z.object({ type: z.literal('text'), text: z.string(), ...cached });

const FILES_NOT_SERVED = 'is not served: send the data itself, in base64';

const imageBlock = z.object({
  type: z.literal('image'),
  source: z.discriminatedUnion('type', [
    z.object({
      type: z.literal('base64'),
      media_type: z.enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp']),
      data: base64,
    }),
    z.object({
      type: z.literal('url'),
      url: changed(z.string(), (text, { issues }) => {
        const address = toImageAddress(text);
        if (address !== undefined) return address;
        issues.push({ code: 'custom', message: IMAGE_ADDRESS_MESSAGE, input: text });
        return z.NEVER;
      }),
    }),
    z.object({ type: z.literal('file', FILES_NOT_SERVED), file_id: z.never(FILES_NOT_SERVED) }),
  ]),
  ...cached,
});

const documentBlock = z.object({
  type: z.literal('document'),
  source: z.discriminatedUnion('type', [
    z.object({ type: z.literal('base64'), media_type: z.literal('application/pdf'), data: base64 }),
    z.object({ type: z.literal('text'), media_type: z.literal('text/plain'), data: z.string() }),
    z.object({
      type: z.literal('content'),
      content: z.union([z.string(), z.array(z.union([textBlock, imageBlock])).max(partsOfMessage)]),
    }),
    z.object({ type: z.literal('url'), url: z.never(FILES_NOT_SERVED) }),
    z.object({ type: z.literal('file'), file_id: z.never(FILES_NOT_SERVED) }),
  ]),
  title: z.string().max(fileNameLength).nullish(),
  context: z.string().nullish(),
  ...cached,
});

const searchResultBlock = z.object({
  type: z.literal('search_result'),
  source: z.string(),
  title: z.string(),
  content: z.array(textBlock).max(partsOfMessage),
  ...cached,
});

/** The client knows the origin of the id: `toolu_…` if the service made it. */
const toolUseId = z.string().min(1).max(toolCallIdLength);

const KNOWN_BLOCKS = [
  ...['text', 'image', 'document', 'search_result', 'tool_result', 'tool_reference'],
  ...['thinking', 'redacted_thinking', 'tool_use'],
];

/** Tools in a conversation that ran on another service's machines, and unknown blocks: dropped. */
const otherBlock = changed(
  z.looseObject({
    type: z
      .string()
      .max(64)
      .refine(...noneOf(KNOWN_BLOCKS, 'must be the type of a block that may stand here')),
  }),
  toOther,
);

/** Inside of a tool's result: the name of a tool of the request that a search has found. */
const toolReference = z.object({ type: z.literal('tool_reference'), tool_name: z.string().min(1).max(128) });

const toolResultBlock = z.object({
  type: z.literal('tool_result'),
  tool_use_id: toolUseId,
  content: z
    .union(
      [
        z.string(),
        z
          .array(
            z.union([
              z.discriminatedUnion('type', [
                textBlock,
                imageBlock,
                documentBlock,
                searchResultBlock,
                toolReference,
              ]),
              otherBlock,
            ]),
          )
          .max(partsOfMessage),
      ],
      'must be a text or a list of blocks',
    )
    .nullish(),
  is_error: z.boolean().nullish(),
  ...cached,
});

const userBlock = z.union([
  z.discriminatedUnion('type', [textBlock, imageBlock, documentBlock, searchResultBlock, toolResultBlock]),
  otherBlock,
]);

const ownAnswerBlock = z.discriminatedUnion('type', [
  textBlock,
  z.object({ type: z.literal('thinking'), thinking: z.string(), signature: z.string().nullish() }),
  z.object({ type: z.literal('redacted_thinking'), data: z.string() }),
  z.object({
    type: z.literal('tool_use'),
    id: toolUseId,
    name: z.string().min(1).max(128),
    input: givenObject,
    ...cached,
  }),
]);

const assistantBlock = z.union([ownAnswerBlock, otherBlock]);

const contentOf = <Block extends z.ZodType>(block: Block) =>
  z.union([z.string(), z.array(block).max(partsOfMessage)], 'must be a text or a list of blocks');

const systemText = contentOf(textBlock);

/** A message of the conversation. Source: Anthropic API reference, create a message, `messages`. */
const conversationMessage = z.discriminatedUnion('role', [
  z.object({ role: z.literal('user'), content: contentOf(userBlock) }),
  z.object({ role: z.literal('assistant'), content: contentOf(assistantBlock) }),
  z.object({ role: z.literal('system'), content: systemText }),
]);

export type ConversationMessage = z.output<typeof conversationMessage>;
export type UserBlock = z.output<typeof userBlock>;
export type AssistantBlock = z.output<typeof assistantBlock>;

const { modelLength, messages: mostMessages, labelLength } = CHAT_REQUEST_LIMITS;

/** More than in chat completions: an agent brings the tools of all its servers. */
const MOST_TOOLS = 512;
const MOST_STOP_SEQUENCES = 16;
const USER_ID_LENGTH = 1_024;

const toolName = z.string().regex(/^[A-Za-z0-9_-]{1,128}$/, 'must be 1 to 128 letters, digits, _ or -');

const customTool = z.object({
  type: z.literal('custom').nullish(),
  name: toolName,
  description: z.string().nullish(),
  input_schema: jsonSchema,
  strict: z.boolean().nullish(),
  /** The model gets it when a search has found it. */
  defer_loading: z.boolean().nullish(),
  cache_control: cacheControl,
});

/** A tool that Anthropic defines or runs: `web_search_20250305`. Dropped by its name. */
const serverTool = z.object({
  type: z
    .string()
    .max(64)
    .refine(...noneOf(['custom', 'function'], 'must be "custom", or left out')),
  name: z.string().optional(),
});

export type CustomTool = z.output<typeof customTool>;
type AnyTool = CustomTool | z.output<typeof serverTool>;

export function isCustomTool(tool: AnyTool): tool is CustomTool {
  return tool.type == null || tool.type === 'custom';
}

const parallel = { disable_parallel_tool_use: z.boolean().nullish() };

const thinking = z.object({
  type: z.enum(['enabled', 'disabled', 'adaptive', 'between_tools']),
  budget_tokens: z.int().min(1).nullish(),
  display: z.enum(['summarized', 'omitted', 'updates']).nullish(),
});

/** The fields that change the prompt: those of `POST /v1/messages/count_tokens`. */
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
  return (tools ?? []).some(({ name }) => name === choice.name);
}

/** The choice, if it is among tools that can be offered to a model here. */
export function servedChoice({
  tools,
  tool_choice: choice,
}: Pick<CountTokensRequest, 'tools' | 'tool_choice'>): CountTokensRequest['tool_choice'] {
  const custom = (tools ?? []).filter(isCustomTool);
  if (choice == null || custom.length === 0) return undefined;
  return choice.type !== 'tool' || custom.some(({ name }) => name === choice.name) ? choice : undefined;
}

const CHOSEN_TOOL_IS_MISSING = { path: ['tool_choice', 'name'], message: 'must be one of the tools' };

/** Body of `POST /v1/messages/count_tokens`. Fields for creating a message are dropped. */
export const countTokensRequest = z.object(promptFields).refine(hasChosenTool, CHOSEN_TOOL_IS_MISSING);

/**
 * Body of `POST /v1/messages`. Unknown fields are dropped, as in chat completions. Source: Anthropic API reference,
 * create a message; docs/design/decisions.md, "Messages".
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
/** The dropped parts of a body that was read as `taken`: fields, tools and blocks of other machines. */
export function findUnknownMessagesFields(
  body: unknown,
  taken: MessagesRequest | CountTokensRequest,
): UnknownFields {
  const elsewhere = new Set<string>();
  for (const tool of taken.tools ?? []) if (!isCustomTool(tool)) elsewhere.add(`tools.${tool.type}`);
  if (elsewhere.size > 0 && taken.tool_choice != null && !servedChoice(taken)) elsewhere.add('tool_choice');
  for (const { content } of taken.messages) {
    if (typeof content === 'string') continue;
    for (const block of content) {
      if (block.type === 'other') elsewhere.add(`messages.content.${block.of}`);
      if (block.type === 'tool_result' && Array.isArray(block.content))
        for (const inner of block.content)
          if (inner.type === 'other') elsewhere.add(`messages.content.content.${inner.of}`);
    }
  }
  const { own, inner } = findFieldsBeside(KNOWN_FIELDS, body, taken);
  return { own, inner: [...elsewhere, ...inner] };
}
