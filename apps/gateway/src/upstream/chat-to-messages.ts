import type { ChatCompletionRequest } from '@farebox/api';
import { NOTHING_WRITTEN, type WrittenJson } from '@farebox/flow';
import { toServerCallId } from './call-ids';
import { isOfMessages } from './seals';
import { toArgumentsObject, toArgumentsObjects } from './tool-arguments';

type Message = ChatCompletionRequest['messages'][number];
type Block = { type: string } & Record<string, unknown>;
interface Turn {
  role: 'user' | 'assistant';
  content: Block[];
}

/** Reads the arguments of an earlier call. */
export type ReadArguments = typeof toArgumentsObject;

/** How the parts of a request are translated: those of a long one were read before. */
interface Parts {
  readArguments: ReadArguments;
  strings: Pick<WrittenJson, 'endsOf' | 'withBeginning'>;
}
type KnownParts = { [Name in keyof Parts]?: Parts[Name] | undefined };

/** Reads the arguments of all calls of a long request in turns of the event loop. */
export async function readArgumentsInTurns({ messages }: ChatCompletionRequest): Promise<ReadArguments> {
  const objects = await toArgumentsObjects(
    messages.flatMap((message) =>
      message.role === 'assistant' ? (message.tool_calls ?? []).map((call) => call.function.arguments) : [],
    ),
  );
  return (text) => objects.get(text);
}

/** Converts a chat prompt for a Messages server. Fields without a counterpart are left out. */
export function toPromptOfMessages(
  request: ChatCompletionRequest,
  isAdaptive = false,
  { readArguments = toArgumentsObject, strings = NOTHING_WRITTEN }: KnownParts = {},
): Record<string, unknown> {
  const { messages, response_format: format } = request;
  const system = messages.filter(isInstruction).map((message) => textOf(message.content));
  if (format?.type === 'json_object') system.push(JSON_ALONE);
  const schema = format?.type === 'json_schema' ? format.json_schema.schema : undefined;
  const said = messages.filter((message) => !isInstruction(message));
  const turns = toTurns(said, { readArguments, strings });
  const mayThink = isAdaptive || !goesOnWithoutThought(turns);
  return {
    messages: turns,
    ...(system.some(saysSomething) && { system: system.filter(saysSomething).join('\n\n') }),
    ...toTools(request),
    ...(mayThink && toThinking(request, isAdaptive)),
    ...(schema && { output_config: { format: { type: 'json_schema', schema } } }),
  };
}

/** The messages wire has no JSON format, so words ask for it. */
const JSON_ALONE =
  'Answer with one JSON object and nothing else: no other text, and no code fence around it.';

const isInstruction = ({ role }: Message): boolean => role === 'system' || role === 'developer';
/** Nobody writes more white space, and V8 would copy all of a long text before it looks at its beginning. */
const LONGEST_BLANK = 65_536;

/** Messages servers refuse a text of white space, which a model may write. */
export const saysSomething = (text: string): boolean => text.length > LONGEST_BLANK || text.trim() !== '';
const textBlock = (text: string): Block => ({ type: 'text', text });

/** Joins the parts of a text with line breaks. */
export function textOf(content: Message['content']): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map((part) => ('text' in part ? part.text : '')).join('\n');
}

/** Tool results belong to the user, in one turn with the user's next message. */
function toTurns(messages: readonly Message[], parts: Parts): Turn[] {
  const turns: Turn[] = [];
  for (const message of messages) {
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const content = toBlocks(message, parts);
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...content);
    else if (content.length > 0) turns.push({ role, content });
  }
  return turns;
}

function toBlocks(message: Message, { readArguments, strings }: Parts): Block[] {
  switch (message.role) {
    case 'assistant':
      return toAssistantBlocks(message, readArguments);
    case 'tool':
      return [
        {
          type: 'tool_result',
          tool_use_id: toServerCallId(message.tool_call_id, 'messages'),
          content: textOf(message.content),
        },
      ];
    case 'user':
      if (typeof message.content !== 'string')
        return message.content.flatMap((part) => toUserBlocks(part, strings));
      return saysSomething(message.content) ? [textBlock(message.content)] : [];
    case 'system':
    case 'developer':
    case 'function': {
      const text = textOf(message.content);
      return saysSomething(text) ? [textBlock(text)] : [];
    }
  }
}

type UserPart = Exclude<Extract<Message, { role: 'user' }>['content'], string>[number];
const DATA_URL = /^data:([^;]+);base64,/;
/** More than the beginning of any data: URL. */
const BEGINNING_LENGTH = 64;

function toUserBlocks(part: UserPart, strings: Parts['strings']): Block[] {
  if (part.type === 'text') return saysSomething(part.text) ? [textBlock(part.text)] : [];
  const url = part.type === 'file' ? part.file.file_data : part.image_url.url;
  const [begun] = strings.endsOf(url, BEGINNING_LENGTH);
  const [beginning = '', media_type] = DATA_URL.exec(begun) ?? [];
  const source =
    media_type === undefined
      ? { type: 'url', url }
      : { type: 'base64', media_type, data: strings.withBeginning('', url, beginning.length) };
  if (part.type === 'image_url') return [{ type: 'image', source }];
  const { filename } = part.file;
  return [{ type: 'document', source, ...(filename !== undefined && { title: filename }) }];
}

/** Thoughts without a signature came from another server and are left out. */
function toAssistantBlocks(
  message: Extract<Message, { role: 'assistant' }>,
  readArguments: ReadArguments,
): Block[] {
  const texts = [textOf(message.content), message.refusal ?? ''].filter(saysSomething);
  const calls = (message.tool_calls ?? []).map(({ id, function: called }) => ({
    type: 'tool_use',
    id: toServerCallId(id, 'messages'),
    name: called.name,
    input: readArguments(called.arguments) ?? {},
  }));
  return [...toThoughts(message), ...texts.map(textBlock), ...calls];
}

/** A signature belongs to one text: the one it came with, or the only one of the message. */
function toThoughts({
  reasoning_details: details = [],
  reasoning_content: thought,
}: Extract<Message, { role: 'assistant' }>): Block[] {
  const hasOne = details.filter(({ type }) => type === 'reasoning.text').length === 1;
  return details.flatMap((detail): Block[] => {
    const { data, signature } = detail;
    if (detail.type === 'reasoning.encrypted')
      return data != null && isOfMessages(data) ? [{ type: 'redacted_thinking', data }] : [];
    const text = detail.text ?? (hasOne ? thought : undefined);
    return signature && text != null ? [{ type: 'thinking', thinking: text, signature }] : [];
  });
}

function toTools({
  tools,
  tool_choice: choice,
  parallel_tool_calls: parallel,
}: ChatCompletionRequest): object {
  if (!tools || tools.length === 0) return {};
  const more = parallel === false ? { disable_parallel_tool_use: true } : {};
  return {
    tools: tools.map(({ function: { name, description, parameters, strict } }) => ({
      name,
      ...(description !== undefined && { description }),
      input_schema: { type: 'object', ...parameters },
      ...(strict === true && { strict }),
    })),
    ...(choice != null && { tool_choice: toToolChoice(choice, more) }),
    ...(choice == null && parallel === false && { tool_choice: { type: 'auto', ...more } }),
  };
}

function toToolChoice(choice: NonNullable<ChatCompletionRequest['tool_choice']>, more: object): object {
  if (typeof choice === 'object') return { type: 'tool', name: choice.function.name, ...more };
  if (choice === 'none') return { type: 'none' };
  return { type: choice === 'required' ? 'any' : 'auto', ...more };
}

/** The reverse of how `thinking` of the messages wire is read. */
const BUDGETS: Partial<Record<string, number>> = {
  low: 1_024,
  medium: 4_096,
  high: 16_384,
  xhigh: 32_768,
  max: 65_536,
};

/** The effort that stands for a budget, in the steps used to read `thinking` of the messages wire. */
export function effortOf(budget: number | null | undefined): string {
  if (budget == null) return 'medium';
  const steps = Object.entries(BUDGETS).filter(([, least]) => (least ?? 0) <= budget);
  return steps.at(-1)?.[0] ?? 'low';
}

/**
 * A model that is to think must not be forced to call a particular tool. Unless it thinks adaptively, it also
 * must not get its own calls without the thoughts before them.
 */
function toThinking(
  { reasoning_effort: effort, tool_choice: choice, messages }: ChatCompletionRequest,
  isAdaptive: boolean,
): object {
  const budget_tokens = BUDGETS[effort ?? ''];
  const isForced = choice === 'required' || typeof choice === 'object';
  const lacksThoughts = messages.some(
    (message) => message.role === 'assistant' && message.tool_calls && toThoughts(message).length === 0,
  );
  if (budget_tokens === undefined || (isForced && choice !== null)) return {};
  if (lacksThoughts && !isAdaptive) return {};
  return { thinking: { type: 'enabled', budget_tokens } };
}

/**
 * Whether the model continues after calls made without a thought, or by another server: it may not think
 * then. Source: Anthropic documentation, extended thinking with tool use.
 */
export function goesOnWithoutThought(
  messages: readonly { role: string; content: string | readonly { type: string }[] }[],
): boolean {
  type Said = (typeof messages)[number] | undefined;
  const has = (turn: Said, type: string): boolean =>
    typeof turn?.content === 'object' && turn.content.some((block) => block.type === type);
  const called = messages.findLast(({ role }) => role === 'assistant');
  if (!has(messages.at(-1), 'tool_result') || !has(called, 'tool_use')) return false;
  const [first] = typeof called?.content === 'object' ? called.content : [];
  return first?.type !== 'thinking' && first?.type !== 'redacted_thinking';
}
