import { z } from 'zod';
import { CHAT_REQUEST_LIMITS } from './fields';
import { isPublicImage } from './chat-messages';

const { partsOfMessage, toolCallIdLength, fileNameLength } = CHAT_REQUEST_LIMITS;

/** How far a prompt is cached. Nothing that is not an upstream of messages reads it. */
const cacheControl = z
  .object({ type: z.literal('ephemeral'), ttl: z.enum(['5m', '1h']).nullish() })
  .nullish();
const cached = { cache_control: cacheControl };

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const base64 = z.string().regex(BASE64, 'must be base64');

export const textBlock = z.object({ type: z.literal('text'), text: z.string(), ...cached });

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
      url: z
        .string()
        .refine(
          (url) => !url.startsWith('data:') && isPublicImage(url),
          'must be an https URL of a public host',
        ),
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

/** Whose id it is, is known to the client: `toolu_…` if the service made it. */
const toolUseId = z.string().min(1).max(toolCallIdLength);

/** What a conversation may say of tools that ran on another service's machines. It is left out. */
export const SERVER_BLOCKS = [
  'server_tool_use',
  'web_search_tool_result',
  'web_fetch_tool_result',
  'code_execution_tool_result',
  'bash_code_execution_tool_result',
  'text_editor_code_execution_tool_result',
  'tool_search_tool_result',
  'mcp_tool_use',
  'mcp_tool_result',
  'container_upload',
  'compaction',
] as const;
const serverBlock = z.object({ type: z.enum(SERVER_BLOCKS) });
/** Inside of a tool's result. */
const toolReference = z.object({ type: z.literal('tool_reference') });

const toolResultBlock = z.object({
  type: z.literal('tool_result'),
  tool_use_id: toolUseId,
  content: z
    .union(
      [
        z.string(),
        z
          .array(
            z.discriminatedUnion('type', [
              textBlock,
              imageBlock,
              documentBlock,
              searchResultBlock,
              toolReference,
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

const userBlock = z.discriminatedUnion('type', [
  textBlock,
  imageBlock,
  documentBlock,
  searchResultBlock,
  toolResultBlock,
  serverBlock,
]);

const assistantBlock = z.discriminatedUnion('type', [
  textBlock,
  z.object({ type: z.literal('thinking'), thinking: z.string(), signature: z.string().nullish() }),
  z.object({ type: z.literal('redacted_thinking'), data: z.string() }),
  z.object({
    type: z.literal('tool_use'),
    id: toolUseId,
    name: z.string().min(1).max(128),
    input: z.record(z.string(), z.unknown()),
    ...cached,
  }),
  serverBlock,
]);

const contentOf = <Block extends z.ZodType>(block: Block) =>
  z.union([z.string(), z.array(block).max(partsOfMessage)], 'must be a text or a list of blocks');

export const systemText = contentOf(textBlock);

/** A message of the conversation. Source: Anthropic API reference, create a message, `messages`. */
export const conversationMessage = z.discriminatedUnion('role', [
  z.object({ role: z.literal('user'), content: contentOf(userBlock) }),
  z.object({ role: z.literal('assistant'), content: contentOf(assistantBlock) }),
  z.object({ role: z.literal('system'), content: systemText }),
]);

export type ConversationMessage = z.output<typeof conversationMessage>;
export type UserBlock = z.output<typeof userBlock>;
export type AssistantBlock = z.output<typeof assistantBlock>;
