import type { Dialect } from '@farebox/catalog';
import type { ChatCompletionRequest } from '@farebox/contracts';
import { toServerCallId } from './call-ids';
import { textOf } from './chat-to-messages';
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

const NO_CUSTOM_TOOLS: CustomTools = new Map();

/**
 * The body of `POST /v1/responses`, without the model and the limit. Nothing is stored there, so a model's reasoning comes
 * back sealed, and is sent again with what it led to. Fields that Responses do not have are left out.
 */
export function toResponsesFields(
  { request, extraFields, reasoningSummary: summary, customTools }: AskedOfServers,
  { roleDeveloper, omit, customTools: taken }: Dialect,
): Record<string, unknown> {
  const custom = taken === 'passed' ? (customTools ?? NO_CUSTOM_TOOLS) : NO_CUSTOM_TOOLS;
  const { temperature, top_p, reasoning_effort: effort, logprobs, top_logprobs } = request;
  const body: Record<string, unknown> = {
    ...extraFields,
    input: new Items(roleDeveloper, custom).of(request.messages),
    ...toTools(request, custom),
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

/** The items of a conversation. */
class Items {
  readonly #roleDeveloper: Dialect['roleDeveloper'];
  readonly #custom: CustomTools;
  /** The calls of custom tools whose results may follow. */
  readonly #customCalls = new Set<string>();

  constructor(roleDeveloper: Dialect['roleDeveloper'], custom: CustomTools) {
    this.#roleDeveloper = roleDeveloper;
    this.#custom = custom;
  }

  of(messages: readonly Message[]): Item[] {
    return messages.flatMap((message) => this.#ofMessage(message));
  }

  #ofMessage(message: Message): Item[] {
    switch (message.role) {
      case 'system':
        return [{ role: 'system', content: textOf(message.content) }];
      case 'developer':
        return [{ role: this.#roleDeveloper, content: textOf(message.content) }];
      case 'user': {
        const { content } = message;
        return [{ role: 'user', content: typeof content === 'string' ? content : content.map(toUserPart) }];
      }
      case 'assistant':
        return [...toSaidItems(message), ...(message.tool_calls ?? []).map((call) => this.#ofCall(call))];
      case 'tool': {
        const { tool_call_id: id, content } = message;
        return [
          {
            type: this.#customCalls.has(id) ? 'custom_tool_call_output' : 'function_call_output',
            call_id: toServerCallId(id, 'responses'),
            output: textOf(content),
          },
        ];
      }
      case 'function':
        return [{ role: 'user', content: message.content }];
    }
  }

  #ofCall({ id, function: { name, arguments: args } }: Call): Item {
    const call_id = toServerCallId(id, 'responses');
    if (this.#custom.has(name)) {
      this.#customCalls.add(id);
      return { type: 'custom_tool_call', call_id, name, input: toCustomInput(args) };
    }
    this.#customCalls.delete(id);
    return { type: 'function_call', call_id, name, arguments: writtenArguments(args) };
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

/** What a model thought and said, in this order. What it called comes after that. */
function toSaidItems(message: AssistantMessage): Item[] {
  const { reasoning_details: details = [] } = message;
  const thoughts = details.flatMap((detail): Item[] => {
    const encrypted = detail.data == null ? undefined : openForResponses(detail.data);
    return encrypted === undefined ? [] : [{ type: 'reasoning', summary: [], encrypted_content: encrypted }];
  });
  const text = textOf(message.content);
  const said: Item[] = [
    ...(text === '' ? [] : [{ type: 'output_text', text }]),
    ...(message.refusal ? [{ type: 'refusal', refusal: message.refusal }] : []),
  ];
  return [...thoughts, ...(said.length > 0 ? [{ role: 'assistant', content: said }] : [])];
}

function toTools(
  { tools, tool_choice: choice, parallel_tool_calls }: ChatCompletionRequest,
  custom: CustomTools,
): object {
  if (!tools || tools.length === 0) return {};
  return {
    tools: tools.map((tool) => toCustomTool(tool, custom) ?? toFunctionTool(tool)),
    ...(choice != null && {
      tool_choice:
        typeof choice === 'string'
          ? choice
          : { type: custom.has(choice.function.name) ? 'custom' : 'function', name: choice.function.name },
    }),
    ...(parallel_tool_calls != null && { parallel_tool_calls }),
  };
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

/** In Responses a function is strict unless it says otherwise; in chat it is the other way round. */
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
