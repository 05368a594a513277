import {
  isServedTool,
  type ChatCompletionRequest,
  type ResponsesRequest,
  type ServedTool,
} from '@farebox/contracts';

type ChatTools = NonNullable<ChatCompletionRequest['tools']>;
type ToolFields = Pick<ChatCompletionRequest, 'tools' | 'tool_choice' | 'parallel_tool_calls'>;

/** What a function in place of a custom tool takes. */
const CUSTOM_PARAMETERS = {
  type: 'object',
  properties: { input: { type: 'string' } },
  required: ['input'],
  additionalProperties: false,
};

/** The tools of a request, as chat has them. Without tools that are served there is nothing to choose. */
export function toChatTools(request: ResponsesRequest): ToolFields {
  const { tool_choice: choice, parallel_tool_calls } = request;
  const tools = allowedTools(request).map(toChatTool);
  if (tools.length === 0) return {};
  return { tools, tool_choice: toChatChoice(choice), parallel_tool_calls };
}

/** If only some are allowed, the model is told of no others. */
function allowedTools({ tools, tool_choice: choice }: ResponsesRequest): ServedTool[] {
  const served = (tools ?? []).filter(isServedTool);
  if (typeof choice !== 'object' || choice?.type !== 'allowed_tools') return served;
  return served.filter(({ type, name }) =>
    choice.tools.some((allowed) => allowed.type === type && allowed.name === name),
  );
}

function toChatTool(tool: ServedTool): ChatTools[number] {
  if (tool.type === 'function') {
    const { name, description, parameters, strict } = tool;
    return { type: 'function', function: { name, description, parameters, strict } };
  }
  const { name, format } = tool;
  const grammar =
    format?.type === 'grammar'
      ? `The input must match this grammar (${format.syntax}):\n${format.definition}`
      : undefined;
  const description = [tool.description, grammar].filter((text) => text !== undefined).join('\n\n');
  return { type: 'function', function: { name, description, parameters: CUSTOM_PARAMETERS } };
}

function toChatChoice(choice: ResponsesRequest['tool_choice']): ChatCompletionRequest['tool_choice'] {
  if (typeof choice !== 'object' || choice === null) return choice;
  if (choice.type === 'allowed_tools') return choice.mode;
  return { type: 'function', function: { name: choice.name } };
}

/** The input of a custom tool as its function takes it. */
export function toFunctionArguments(input: string): string {
  return JSON.stringify({ input });
}

/** The input of a custom tool, of what a model called its function with: if that is something else, all of it. */
export function toCustomInput(args: string): string {
  try {
    const { input } = JSON.parse(args) as { input?: unknown };
    return typeof input === 'string' ? input : args;
  } catch {
    return args;
  }
}
