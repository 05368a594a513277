import { createHash } from 'node:crypto';
import {
  servedToolChoice,
  servedTools,
  toolsOf,
  type ChatCompletionRequest,
  type ResponsesRequest,
  type ServedTool,
} from '@farebox/contracts';
import { toFunction, type CustomTool, type CustomTools } from '../../upstream/custom-tools';

type ChatTools = NonNullable<ChatCompletionRequest['tools']>;
type ToolFields = Pick<ChatCompletionRequest, 'tools' | 'tool_choice' | 'parallel_tool_calls'>;

/** A tool as its caller knows it, and a call of it is told. */
export interface CalledTool {
  type: ServedTool['type'];
  name: string;
  namespace?: string;
}

/** The tools of a request, by what they are called in chat. */
export function calledTools(request: ResponsesRequest): Map<string, CalledTool> {
  return new Map(
    servedTools(toolsOf(request)).map(({ tool: { type, name }, namespace }) => [
      toChatName(name, namespace),
      { type, name, ...(namespace === undefined ? {} : { namespace }) },
    ]),
  );
}

/** Those whose input is a text. */
export function customToolsOf(request: ResponsesRequest): CustomTools {
  return new Map(
    servedTools(toolsOf(request)).flatMap(({ tool, namespace }) =>
      tool.type === 'custom' ? [[toChatName(tool.name, namespace), toCustomTool(tool)] as const] : [],
    ),
  );
}

function toCustomTool({ description, format }: Extract<ServedTool, { type: 'custom' }>): CustomTool {
  return { description, grammar: format?.type === 'grammar' ? format : undefined };
}

const LONGEST_NAME = 64;

/** Chat has no namespaces. A name that would be too long for it ends in what tells it from others. */
export function toChatName(name: string, namespace?: string): string {
  if (namespace === undefined) return name;
  const whole = `${namespace}__${name}`;
  if (whole.length <= LONGEST_NAME) return whole;
  const mark = createHash('sha256').update(whole).digest('hex').slice(0, 8);
  return `${whole.slice(0, LONGEST_NAME - mark.length - 1)}_${mark}`;
}

/**
 * The tools of a request, as chat has them. Without tools that are served there is nothing to choose. If only some are
 * allowed, the model is told of no others.
 */
export function toChatTools(request: ResponsesRequest): ToolFields {
  const brought = toolsOf(request);
  const choice = servedToolChoice({ tools: brought, choice: request.tool_choice });
  const allowed = typeof choice === 'object' && choice.type === 'allowed_tools' ? choice.tools : undefined;
  // A tool that is brought again later is the same one.
  const tools = new Map<string, ChatTools[number]>();
  for (const { tool, namespace } of servedTools(brought)) {
    const isAllowed = ({ type, name }: { type: string; name: string }): boolean =>
      namespace === undefined && type === tool.type && name === tool.name;
    if (!allowed || allowed.some(isAllowed))
      tools.set(toChatName(tool.name, namespace), toChatTool(tool, namespace));
  }
  if (tools.size === 0) return {};
  const { parallel_tool_calls } = request;
  return { tools: [...tools.values()], tool_choice: toChatChoice(choice), parallel_tool_calls };
}

function toChatTool(tool: ServedTool, namespace?: string): ChatTools[number] {
  const name = toChatName(tool.name, namespace);
  if (tool.type === 'function') {
    const { description, parameters, strict } = tool;
    return { type: 'function', function: { name, description, parameters, strict } };
  }
  return toFunction({ name, ...toCustomTool(tool) });
}

function toChatChoice(choice: ReturnType<typeof servedToolChoice>): ChatCompletionRequest['tool_choice'] {
  if (typeof choice !== 'object') return choice;
  if (choice.type === 'allowed_tools') return choice.mode;
  return { type: 'function', function: { name: choice.name } };
}
