import {
  isServedChoice,
  isServedTool,
  nameOfTool,
  type ChatCompletionBody,
  type ChatCompletionRequest,
  type ChatPart,
  type ChatTool,
  type CustomChatTool,
  type ServedMessage,
} from '@farebox/api';
import {
  toFunction,
  toFunctionArguments,
  type CustomTool,
  type CustomTools,
} from '../../upstream/custom-tools';

type BodyMessage = ChatCompletionBody['messages'][number];
type ToolMessage = Extract<BodyMessage, { role: 'tool' }>;
type FunctionTool = NonNullable<ChatCompletionRequest['tools']>[number];
type TextPart = Extract<ChatPart, { type: 'text' }>;

/** Rewrites a request with what model servers support: functions, and tool results that are texts. */
export function toServedRequest(body: ChatCompletionBody): ChatCompletionRequest {
  const { messages, tools, tool_choice: choice } = body;
  const served = tools && toServedTools(tools, choice);
  const canChoose = served == null || served.length > 0 || tools?.length === 0;
  return {
    ...body,
    messages: toServedMessages(messages),
    tools: served,
    tool_choice: canChoose ? toServedChoice(choice) : undefined,
  };
}

/** The custom tools by name. */
export function customToolsOf({ tools }: ChatCompletionBody): CustomTools {
  return new Map((tools ?? []).filter(isCustom).map((tool) => [nameOfTool(tool), toCustomTool(tool)]));
}

const isCustom = (tool: ChatTool): tool is CustomChatTool => isServedTool(tool) && tool.type === 'custom';

/** If only some tools are allowed, the model gets no others. */
function toServedTools(
  tools: readonly ChatTool[],
  choice: ChatCompletionBody['tool_choice'],
): FunctionTool[] {
  const isSome = choice != null && isServedChoice(choice) && typeof choice !== 'string';
  const allowed = isSome && choice.type === 'allowed_tools' ? choice.allowed_tools.tools : undefined;
  return tools.filter(isServedTool).flatMap((tool) => {
    const isAllowed =
      !allowed || allowed.some((one) => one.type === tool.type && nameOfTool(one) === nameOfTool(tool));
    return isAllowed ? [tool.type === 'function' ? tool : fromCustom(tool)] : [];
  });
}

function fromCustom(tool: CustomChatTool): FunctionTool {
  return toFunction({ name: nameOfTool(tool), ...toCustomTool(tool) });
}

function toCustomTool({ custom: { description, format } }: CustomChatTool): CustomTool {
  return { description, grammar: format?.type === 'grammar' ? format.grammar : undefined };
}

function toServedChoice(choice: ChatCompletionBody['tool_choice']): ChatCompletionRequest['tool_choice'] {
  if (choice == null || !isServedChoice(choice)) return undefined;
  if (typeof choice === 'string') return choice;
  if (choice.type === 'allowed_tools') return choice.allowed_tools.mode;
  return { type: 'function', function: { name: nameOfTool(choice) } };
}

/** Images and files in tool results move to a following user message: no other message can contain them. */
function toServedMessages(messages: readonly BodyMessage[]): ServedMessage[] {
  const served: ServedMessage[] = [];
  let attached: ChatPart[] = [];
  for (const message of messages) {
    if (message.role !== 'tool' && attached.length > 0) {
      served.push({ role: 'user', content: attached });
      attached = [];
    }
    if (message.role === 'tool') served.push(toToolMessage(message, attached));
    else served.push(message.role === 'assistant' ? toAssistantMessage(message) : message);
  }
  if (attached.length > 0) served.push({ role: 'user', content: attached });
  return served;
}

const isText = (part: ChatPart): part is TextPart => part.type === 'text';

/** Adds the result's attachments to `attached`. */
function toToolMessage({ content, ...message }: ToolMessage, attached: ChatPart[]): ServedMessage {
  if (typeof content === 'string') return { ...message, content };
  const texts = content.filter(isText);
  const shown = content.filter((part) => !isText(part));
  if (shown.length === 0) return { ...message, content: texts };
  attached.push({ type: 'text', text: `Attached to the output of ${message.tool_call_id}:` }, ...shown);
  return { ...message, content: texts.length > 0 ? texts : ATTACHED };
}

/** Replaces an output without text. */
export const ATTACHED = 'The output is attached to the next message of the user.';

function toAssistantMessage(message: Extract<BodyMessage, { role: 'assistant' }>): ServedMessage {
  const { tool_calls: calls, ...others } = message;
  if (!calls) return others;
  const tool_calls = calls.map((call) =>
    call.type === 'function'
      ? call
      : {
          id: call.id,
          type: 'function' as const,
          function: { name: call.custom.name, arguments: toFunctionArguments(call.custom.input) },
        },
  );
  return { ...others, tool_calls };
}
