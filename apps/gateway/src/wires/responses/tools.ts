import { createHash } from 'node:crypto';
import {
  clientTools,
  servedToolChoice,
  servedTools,
  toolsOf,
  type ChatCompletionRequest,
  type ClientTool,
  type ResponsesRequest,
  type ServedTool,
} from '@farebox/api';
import { CLIENT_TOOLS, type ClientToolName, type ClientTools } from '../../upstream/client-tools';
import { toFunction, type CustomTool, type CustomTools } from '../../upstream/custom-tools';

type ChatTools = NonNullable<ChatCompletionRequest['tools']>;
type ToolFields = Pick<ChatCompletionRequest, 'tools' | 'tool_choice' | 'parallel_tool_calls'>;

/** A tool under its client's name, and how its calls are written. */
export interface CalledTool {
  type: ServedTool['type'] | ClientToolName;
  name: string;
  namespace?: string;
}

/** The tools of a request, by their chat names. */
export function calledTools(request: ResponsesRequest): Map<string, CalledTool> {
  const brought = toolsOf(request);
  const own = servedTools(brought).map(({ tool: { type, name }, namespace }): [string, CalledTool] => [
    toChatName(name, namespace),
    { type, name, ...(namespace === undefined ? {} : { namespace }) },
  ]);
  const known = clientTools(brought).map(({ type }): [string, CalledTool] => [type, { type, name: type }]);
  return new Map([...known, ...own]);
}

/** OpenAI's client-run tools, and the tools that its searches found. */
export function clientToolsOf(request: ResponsesRequest): ClientTools | undefined {
  const tools = new Map(clientTools(toolsOf(request)).map((tool) => [tool.type, tool]));
  if (tools.size === 0) return undefined;
  const items = typeof request.input === 'string' ? [] : request.input;
  const found = items.flatMap((item): [string, string[]][] =>
    item.type === 'tool_search_output' && item.call_id != null ? [[item.call_id, foundBy(item.tools)]] : [],
  );
  return { tools, found: new Map(found) };
}

/** The chat names of tools that a search found. */
export function foundBy(tools: Parameters<typeof servedTools>[0]): string[] {
  return servedTools(tools).map(({ tool, namespace }) => toChatName(tool.name, namespace));
}

/** The tools with text input. */
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

/** Chat has no namespaces. A name that gets too long ends in a part that keeps it distinct. */
export function toChatName(name: string, namespace?: string): string {
  if (namespace === undefined) return name;
  const whole = `${namespace}__${name}`;
  if (whole.length <= LONGEST_NAME) return whole;
  const mark = createHash('sha256').update(whole).digest('hex').slice(0, 8);
  return `${whole.slice(0, LONGEST_NAME - mark.length - 1)}_${mark}`;
}

/**
 * Converts the tools of a request to chat. Without served tools there is no tool choice. If only some are
 * allowed, the model gets no others.
 */
export function toChatTools(request: ResponsesRequest): ToolFields {
  const brought = toolsOf(request);
  const choice = servedToolChoice({ tools: brought, choice: request.tool_choice });
  const allowed = typeof choice === 'object' && choice.type === 'allowed_tools' ? choice.tools : undefined;
  // A tool that is sent again later is the same one.
  const tools = new Map<string, ChatTools[number]>();
  for (const tool of clientTools(brought))
    if (!allowed || allowed.some(({ type }) => type === tool.type)) tools.set(tool.type, toFunctionOf(tool));
  for (const { tool, namespace } of servedTools(brought)) {
    const isAllowed = (one: { type: string; name?: string }): boolean =>
      namespace === undefined && one.type === tool.type && one.name === tool.name;
    if (!allowed || allowed.some(isAllowed))
      tools.set(toChatName(tool.name, namespace), toChatTool(tool, namespace));
  }
  if (tools.size === 0) return {};
  const { parallel_tool_calls } = request;
  return { tools: [...tools.values()], tool_choice: toChatChoice(choice), parallel_tool_calls };
}

/** The function for a server that does not know the tool. */
function toFunctionOf(tool: ClientTool): ChatTools[number] {
  const { description, parameters } = CLIENT_TOOLS[tool.type];
  const own = tool.type === 'tool_search' ? tool : undefined;
  return {
    type: 'function',
    function: {
      name: tool.type,
      description: own?.description ?? description,
      parameters: own?.parameters ?? { ...parameters },
    },
  };
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
  return { type: 'function', function: { name: 'name' in choice ? choice.name : choice.type } };
}
