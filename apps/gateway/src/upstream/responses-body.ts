import type { Dialect } from '@farebox/catalog';
import type { ChatCompletionRequest } from '@farebox/api';
import { toServerCallId } from './call-ids';
import { textOf } from './chat-to-messages';
import { toClientCall, toClientOutput, type ClientToolName, type ClientTools } from './client-tools';
import { toCustomInput, type CustomTools } from './custom-tools';
import type { AskedOfServers } from './messages-body';
import { openForResponses } from './seals';
import { writtenArguments } from './tool-arguments';

type Message = ChatCompletionRequest['messages'][number];
type AssistantMessage = Extract<Message, { role: 'assistant' }>;
type UserPart = Exclude<Extract<Message, { role: 'user' }>['content'], string>[number];
type Call = NonNullable<AssistantMessage['tool_calls']>[number];
type Tool = NonNullable<ChatCompletionRequest['tools']>[number];
type Item = Record<string, unknown>;

/** Tools other than functions. */
interface OwnTools {
  custom: CustomTools;
  client: ClientTools;
}

const NONE: OwnTools = { custom: new Map(), client: { tools: new Map(), found: new Map() } };

/**
 * The body of `POST /v1/responses` without the model and the limit. The server stores nothing, so reasoning
 * comes back sealed and is sent again with the items that followed it. Fields without a counterpart in
 * Responses are left out.
 */
export function toResponsesFields(
  { request, extraFields, reasoningSummary: summary, customTools, clientTools }: AskedOfServers,
  { roleDeveloper, omit, customTools: taken }: Dialect,
): Record<string, unknown> {
  const passed = taken === 'passed';
  const own = {
    custom: (passed ? customTools : undefined) ?? NONE.custom,
    client: (passed ? clientTools : undefined) ?? NONE.client,
  };
  const { temperature, top_p, reasoning_effort: effort, logprobs, top_logprobs } = request;
  const body: Record<string, unknown> = {
    ...extraFields,
    input: new Items({ roleDeveloper, omit }, request, own).of(request.messages),
    ...toTools(request, own),
    ...toText(request),
    ...toReasoning(effort, omit.includes('reasoning.summary') ? undefined : summary),
    ...(temperature != null && { temperature }),
    ...(top_p != null && { top_p }),
    ...(logprobs === true && { top_logprobs: top_logprobs ?? 0 }),
    include: ['reasoning.encrypted_content', ...(logprobs === true ? ['message.output_text.logprobs'] : [])],
    store: false,
    ...(request.stream === true && { stream: true }),
  };
  for (const field of omit) Reflect.deleteProperty(body, field);
  return body;
}

function toReasoning(
  effort: ChatCompletionRequest['reasoning_effort'],
  summary: AskedOfServers['reasoningSummary'],
): { reasoning?: object } {
  const reasoning = { ...(effort != null && { effort }), ...(summary && { summary }) };
  return Object.keys(reasoning).length > 0 ? { reasoning } : {};
}

/** Builds the items of a conversation. */
class Items {
  readonly #dialect: Pick<Dialect, 'roleDeveloper' | 'omit'>;
  readonly #request: ChatCompletionRequest;
  readonly #own: OwnTools;
  /** The tools of non-function calls by call id, for the results that may follow. */
  readonly #calls = new Map<string, string>();

  constructor(
    dialect: Pick<Dialect, 'roleDeveloper' | 'omit'>,
    request: ChatCompletionRequest,
    own: OwnTools,
  ) {
    this.#dialect = dialect;
    this.#request = request;
    this.#own = own;
  }

  of(messages: readonly Message[]): Item[] {
    return messages.flatMap((message) => this.#ofMessage(message));
  }

  #ofMessage(message: Message): Item[] {
    switch (message.role) {
      case 'system':
        return [{ role: 'system', content: textOf(message.content) }];
      case 'developer':
        return [{ role: this.#dialect.roleDeveloper, content: textOf(message.content) }];
      case 'user': {
        const { content } = message;
        return [{ role: 'user', content: typeof content === 'string' ? content : content.map(toUserPart) }];
      }
      case 'assistant':
        return [...this.#ofAnswer(message), ...(message.tool_calls ?? []).map((call) => this.#ofCall(call))];
      case 'tool':
        return [this.#ofResult(message.tool_call_id, textOf(message.content))];
      case 'function':
        return [{ role: 'user', content: message.content }];
    }
  }

  /** A model's thoughts and text, in this order. Its calls come after them. */
  #ofAnswer(message: AssistantMessage): Item[] {
    const content = toSaidParts(message);
    const phase = this.#dialect.omit.includes('phase') ? undefined : message.phase;
    const said = { role: 'assistant', ...(phase && { phase }), content };
    return [...toThoughts(message), ...(content.length > 0 ? [said] : [])];
  }

  #ofCall({ id, function: { name, arguments: args } }: Call): Item {
    const call_id = toServerCallId(id, 'responses');
    const { custom, client } = this.#own;
    if (custom.has(name) || isClientTool(name, client)) this.#calls.set(id, name);
    else this.#calls.delete(id);
    if (custom.has(name)) return { type: 'custom_tool_call', call_id, name, input: toCustomInput(args) };
    if (isClientTool(name, client)) return { ...toClientCall(name, args), call_id, status: 'completed' };
    return { type: 'function_call', call_id, name, arguments: writtenArguments(args) };
  }

  #ofResult(id: string, output: string): Item {
    const call_id = toServerCallId(id, 'responses');
    const name = this.#calls.get(id);
    if (name === undefined) return { type: 'function_call_output', call_id, output };
    const { client } = this.#own;
    if (!isClientTool(name, client)) return { type: 'custom_tool_call_output', call_id, output };
    if (name !== 'tool_search') return { ...toClientOutput(name, output), call_id };
    const found = new Set(client.found.get(id));
    const tools = (this.#request.tools ?? []).filter((tool) => found.has(tool.function.name));
    const type = 'tool_search_output';
    return { type, call_id, execution: 'client', status: 'completed', tools: toToolList(tools, this.#own) };
  }
}

function toUserPart(part: UserPart): Item {
  switch (part.type) {
    case 'text':
      return { type: 'input_text', text: part.text };
    case 'image_url': {
      const { url, detail = 'auto' } = part.image_url;
      return { type: 'input_image', image_url: url, detail };
    }
    case 'file': {
      const { file_data, filename = 'document.pdf' } = part.file;
      return { type: 'input_file', filename, file_data };
    }
  }
}

function toThoughts({ reasoning_details: details = [] }: AssistantMessage): Item[] {
  return details.flatMap((detail): Item[] => {
    const encrypted = detail.data == null ? undefined : openForResponses(detail.data);
    return encrypted === undefined ? [] : [{ type: 'reasoning', summary: [], encrypted_content: encrypted }];
  });
}

function toSaidParts({ content, refusal }: AssistantMessage): Item[] {
  const text = textOf(content);
  return [
    ...(text === '' ? [] : [{ type: 'output_text', text }]),
    ...(refusal ? [{ type: 'refusal', refusal }] : []),
  ];
}

function isClientTool(name: string, { tools }: ClientTools): name is ClientToolName {
  return tools.has(name as ClientToolName);
}

function toTools(
  { tools, tool_choice: choice, parallel_tool_calls }: ChatCompletionRequest,
  own: OwnTools,
): object {
  if (!tools || tools.length === 0) return {};
  // If the server gets the search tool, the found tools stand in its result.
  const isSearched = own.client.tools.has('tool_search');
  const found = new Set(isSearched ? [...own.client.found.values()].flat() : []);
  return {
    tools: toToolList(
      tools.filter(({ function: { name } }) => !found.has(name)),
      own,
    ),
    ...(choice != null && {
      tool_choice: typeof choice === 'string' ? choice : toChosenTool(choice.function, own),
    }),
    ...(parallel_tool_calls != null && { parallel_tool_calls }),
  };
}

function toChosenTool({ name }: { name: string }, { custom, client }: OwnTools): object {
  if (custom.has(name)) return { type: 'custom', name };
  return isClientTool(name, client) ? { type: name } : { type: 'function', name };
}

function toToolList(tools: readonly Tool[], { custom, client }: OwnTools): object[] {
  return tools.map((tool) => {
    const { name } = tool.function;
    const known = custom.has(name) ? undefined : client.tools.get(name as ClientToolName);
    return known ?? toCustomTool(tool, custom) ?? toFunctionTool(tool);
  });
}

function toCustomTool({ function: { name } }: Tool, custom: CustomTools): object | undefined {
  const tool = custom.get(name);
  if (!tool) return undefined;
  const { description, grammar } = tool;
  return {
    type: 'custom',
    name,
    ...(description !== undefined && { description }),
    ...(grammar && {
      format: { type: 'grammar', syntax: grammar.syntax, definition: grammar.definition },
    }),
  };
}

/** In Responses a function is strict by default; in chat it is not. */
function toFunctionTool({ function: { name, description, parameters, strict } }: Tool): object {
  return {
    type: 'function',
    name,
    ...(description !== undefined && { description }),
    parameters: parameters ?? { type: 'object', properties: {} },
    strict: strict ?? false,
  };
}

function toText({ response_format: format, verbosity }: ChatCompletionRequest): { text?: object } {
  const text = {
    ...(format != null && { format: toFormat(format) }),
    ...(verbosity != null && { verbosity }),
  };
  return Object.keys(text).length > 0 ? { text } : {};
}

function toFormat(format: NonNullable<ChatCompletionRequest['response_format']>): object {
  if (format.type !== 'json_schema') return format;
  const { name, description, schema, strict } = format.json_schema;
  return {
    type: 'json_schema',
    name,
    ...(description !== undefined && { description }),
    schema: schema ?? { type: 'object' },
    strict: strict ?? false,
  };
}
