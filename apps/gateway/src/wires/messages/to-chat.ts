import {
  isCustomTool,
  servedChoice,
  type AssistantBlock,
  type ChatCompletionRequest,
  type ConversationMessage,
  type CountTokensRequest,
  type CustomTool,
  type MessagesRequest,
  type UserBlock,
} from '@farebox/api';
import { NOTHING_WRITTEN, toJsonInTurns, type WrittenJson } from '@farebox/flow';
import { foundToolText } from '../../upstream/found-tools';
import { openCall } from '../../upstream/seals';
import { toCallId } from './tool-ids';

type Message = ChatCompletionRequest['messages'][number];
type UserParts = Exclude<Extract<Message, { role: 'user' }>['content'], string>;
type UserPart = UserParts[number];
type ToolResult = Extract<UserBlock, { type: 'tool_result' }>;
type Attachment = Extract<UserBlock, { type: 'image' | 'document' | 'search_result' }>;
type Strings = WrittenParts['strings'];
type Effort = NonNullable<ChatCompletionRequest['reasoning_effort']>;

/** The parts of a long request that are not written again at once. */
export interface WrittenParts {
  /** The arguments of earlier calls as JSON, by the object. */
  inputs: ReadonlyMap<object, string>;
  strings: Pick<WrittenJson, 'withBeginning'>;
}

/** Writes the arguments of a long request in turns of the event loop. `strings`: its long strings. */
export async function writeInputs(
  { messages }: Pick<MessagesRequest, 'messages'>,
  strings: WrittenParts['strings'] = NOTHING_WRITTEN,
): Promise<WrittenParts> {
  const inputs = new Map<object, string>();
  for (const { content } of messages) {
    if (typeof content === 'string') continue;
    for (const block of content)
      if (block.type === 'tool_use') inputs.set(block.input, (await toJsonInTurns(block.input)).text);
  }
  return { inputs, strings };
}

const NOT_WRITTEN: WrittenParts = { inputs: new Map(), strings: NOTHING_WRITTEN };

/** Converts a messages request to the chat form that the core works on. */
export function toChatRequest(request: MessagesRequest, written = NOT_WRITTEN): ChatCompletionRequest {
  const { max_tokens, stream, temperature, top_p, stop_sequences: stop, metadata } = request;
  const user = metadata?.user_id;
  const asked = { ...toChatPrompt(request, written), max_tokens, stream, temperature, top_p, stop };
  return user == null ? asked : { ...asked, user };
}

/** The part of the request that becomes the prompt. */
export function toChatPrompt(
  request: MessagesRequest | CountTokensRequest,
  written = NOT_WRITTEN,
): ChatCompletionRequest {
  const { model, tools } = request;
  const choice = servedChoice(request);
  const own = (tools ?? []).filter(isCustomTool).map(toChatTool);
  const isParallel =
    choice != null && 'disable_parallel_tool_use' in choice && choice.disable_parallel_tool_use;
  return {
    model,
    messages: [
      ...toSystemMessages(request.system),
      ...request.messages.flatMap((message) => toChatMessages(message, written)),
    ],
    ...(own.length > 0 && {
      tools: own,
      ...(choice && { tool_choice: toChatToolChoice(choice) }),
      ...(isParallel === true && { parallel_tool_calls: false }),
    }),
    ...toReasoning(request),
    ...toResponseFormat(request),
  };
}

function toSystemMessages(system: MessagesRequest['system']): Message[] {
  const text = textOf(system ?? '');
  return text === '' ? [] : [{ role: 'system', content: text }];
}

/** Each chat role has one text, so the text blocks are joined. */
function textOf(content: string | readonly { text: string }[]): string {
  return typeof content === 'string' ? content : content.map(({ text }) => text).join('\n');
}

function toChatMessages(message: ConversationMessage, written: WrittenParts): Message[] {
  switch (message.role) {
    case 'system':
      return toSystemMessages(message.content);
    case 'assistant':
      return toAssistantMessages(message.content, written);
    case 'user':
      return typeof message.content === 'string'
        ? [{ role: 'user', content: message.content }]
        : toUserMessages(message.content, written.strings);
  }
}

/**
 * Tool results become separate messages before the user's text; their attachments move to the user message.
 */
function toUserMessages(blocks: readonly UserBlock[], strings: Strings): Message[] {
  const results: Message[] = [];
  const parts: UserPart[] = [];
  for (const block of blocks) {
    if (block.type === 'tool_result') {
      const { message, attached } = toToolMessage(block, strings);
      results.push(message);
      parts.push(...attached);
    } else if (block.type === 'text') parts.push({ type: 'text', text: block.text });
    else if (isAttachment(block)) parts.push(...toParts(block, strings));
  }
  if (parts.length === 0) return results;
  const [only] = parts;
  const isText = parts.length === 1 && only?.type === 'text';
  return [...results, { role: 'user', content: isText ? only.text : parts }];
}

const ATTACHMENTS = new Set(['image', 'document', 'search_result']);

function isAttachment(block: { type: string }): block is Attachment {
  return ATTACHMENTS.has(block.type);
}

/** A chat tool result has only text. */
function toToolMessage(
  { tool_use_id, content, is_error }: ToolResult,
  strings: Strings,
): { message: Message; attached: UserPart[] } {
  const texts: string[] = is_error === true ? ['Error:'] : [];
  const attached: UserPart[] = [];
  const blocks = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : (content ?? []);
  for (const block of blocks) {
    if (block.type === 'text') texts.push(block.text);
    else if (block.type === 'tool_reference') texts.push(foundToolText(block.tool_name));
    else if (isAttachment(block))
      for (const part of toParts(block, strings)) {
        if (part.type === 'text') texts.push(part.text);
        else attached.push(part);
      }
  }
  const text = texts.join('\n');
  return { message: { role: 'tool', tool_call_id: toCallId(tool_use_id), content: text }, attached };
}

function toParts(block: Attachment, strings: Strings): UserPart[] {
  switch (block.type) {
    case 'image':
      return [toImagePart(block, strings)];
    case 'search_result':
      return [{ type: 'text', text: [block.title, block.source, textOf(block.content)].join('\n') }];
    case 'document':
      return toDocumentParts(block, strings);
  }
}

function toImagePart({ source }: Extract<UserBlock, { type: 'image' }>, strings: Strings): UserPart {
  const url =
    source.type === 'base64'
      ? strings.withBeginning(`data:${source.media_type};base64,`, source.data)
      : 'url' in source
        ? source.url
        : '';
  return { type: 'image_url', image_url: { url } };
}

function toDocumentParts(
  { source, title, context }: Extract<UserBlock, { type: 'document' }>,
  strings: Strings,
): UserPart[] {
  const about = [title, context]
    .filter((text) => text != null && text !== '')
    .map((text) => toTextPart(text ?? ''));
  switch (source.type) {
    case 'base64': {
      const file_data = strings.withBeginning('data:application/pdf;base64,', source.data);
      return [...about, { type: 'file', file: { file_data, filename: title ?? 'document.pdf' } }];
    }
    case 'text':
      return [...about, toTextPart(source.data)];
    case 'content': {
      const { content } = source;
      if (typeof content === 'string') return [...about, toTextPart(content)];
      return [
        ...about,
        ...content.map((block) =>
          block.type === 'text' ? toTextPart(block.text) : toImagePart(block, strings),
        ),
      ];
    }
    case 'url':
    case 'file':
      return about;
  }
}

const toTextPart = (text: string): UserPart => ({ type: 'text', text });

/** Empty if all content concerns another service's tools. */
function toAssistantMessages(content: string | readonly AssistantBlock[], written: WrittenParts): Message[] {
  if (typeof content === 'string') return [{ role: 'assistant', content }];
  const texts: string[] = [];
  const thoughts: string[] = [];
  const details: NonNullable<Extract<Message, { role: 'assistant' }>['reasoning_details']> = [];
  let callSignature: string | undefined;
  const calls: NonNullable<Extract<Message, { role: 'assistant' }>['tool_calls']> = [];
  for (const block of content) {
    if (block.type === 'text') texts.push(block.text);
    else if (block.type === 'thinking') {
      const { thinking: text, signature } = block;
      thoughts.push(text);
      if (signature) details.push({ type: 'reasoning.text', text, signature });
    } else if (block.type === 'redacted_thinking') {
      const signature = openCall(block.data);
      if (signature === undefined) details.push({ type: 'reasoning.encrypted', data: block.data });
      else callSignature = signature;
    } else if (block.type === 'tool_use') {
      const called = {
        name: block.name,
        arguments: written.inputs.get(block.input) ?? JSON.stringify(block.input),
      };
      calls.push({
        id: toCallId(block.id),
        type: 'function',
        ...(callSignature !== undefined && {
          extra_content: { google: { thought_signature: callSignature } },
        }),
        function: called,
      });
      callSignature = undefined;
    }
  }
  const text = texts.join('\n');
  const thought = thoughts.join('\n');
  if (text === '' && calls.length === 0) return [];
  return [
    {
      role: 'assistant',
      content: text === '' ? null : text,
      ...(thought !== '' && { reasoning_content: thought }),
      ...(details.length > 0 && { reasoning_details: details }),
      ...(calls.length > 0 && { tool_calls: calls }),
    },
  ];
}

function toChatTool({ name, description, input_schema: parameters, strict }: CustomTool) {
  const definition = {
    name,
    description: description ?? undefined,
    parameters,
    ...(strict != null && { strict }),
  };
  return { type: 'function' as const, function: definition };
}

function toChatToolChoice(
  choice: NonNullable<MessagesRequest['tool_choice']>,
): ChatCompletionRequest['tool_choice'] {
  switch (choice.type) {
    case 'auto':
    case 'none':
      return choice.type;
    case 'any':
      return 'required';
    case 'tool':
      return { type: 'function', function: { name: choice.name } };
  }
}

/** Chat has no token budget for thoughts: these are the steps that other translations use, too. */
const EFFORTS: readonly (readonly [leastTokens: number, effort: Effort])[] = [
  [16_384, 'high'],
  [4_096, 'medium'],
  [0, 'low'],
];

function toReasoning({ thinking, output_config: output }: CountTokensRequest): { reasoning_effort?: Effort } {
  if (thinking?.type === 'disabled') return {};
  if (output?.effort != null) return { reasoning_effort: output.effort };
  const budget = thinking?.type === 'enabled' ? thinking.budget_tokens : undefined;
  const step = budget == null ? undefined : EFFORTS.find(([least]) => budget >= least);
  return step ? { reasoning_effort: step[1] } : {};
}

function toResponseFormat({
  output_config: output,
}: CountTokensRequest): Pick<ChatCompletionRequest, 'response_format'> {
  if (output?.format == null) return {};
  const json_schema = {
    name: 'response',
    description: undefined,
    schema: output.format.schema,
    strict: true,
  };
  return { response_format: { type: 'json_schema', json_schema } };
}
