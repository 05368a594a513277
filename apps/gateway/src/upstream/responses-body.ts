import type { Dialect } from '@farebox/catalog';
import type { ChatCompletionRequest } from '@farebox/contracts';
import { toServerCallId } from './call-ids';
import { textOf } from './chat-to-messages';
import type { AskedOfServers } from './messages-body';
import { openForResponses } from './seals';
import { writtenArguments } from './tool-arguments';

type Message = ChatCompletionRequest['messages'][number];
type AssistantMessage = Extract<Message, { role: 'assistant' }>;
type UserPart = Exclude<Extract<Message, { role: 'user' }>['content'], string>[number];
type Item = Record<string, unknown>;

/**
 * The body of `POST /v1/responses`, without the model and the limit. Nothing is stored there, so a model's reasoning comes
 * back sealed, and is sent again with what it led to. Fields that Responses do not have are left out.
 */
export function toResponsesFields(
  { request, extraFields, reasoningSummary: summary }: AskedOfServers,
  { roleDeveloper, omit }: Dialect,
): Record<string, unknown> {
  const { temperature, top_p, reasoning_effort: effort, logprobs, top_logprobs } = request;
  const body: Record<string, unknown> = {
    ...extraFields,
    input: request.messages.flatMap((message) => toItems(message, roleDeveloper)),
    ...toTools(request),
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

function toItems(message: Message, roleDeveloper: Dialect['roleDeveloper']): Item[] {
  switch (message.role) {
    case 'system':
      return [{ role: 'system', content: textOf(message.content) }];
    case 'developer':
      return [{ role: roleDeveloper, content: textOf(message.content) }];
    case 'user': {
      const { content } = message;
      return [{ role: 'user', content: typeof content === 'string' ? content : content.map(toUserPart) }];
    }
    case 'assistant':
      return toOutputItems(message);
    case 'tool':
      return [
        {
          type: 'function_call_output',
          call_id: toServerCallId(message.tool_call_id, 'responses'),
          output: textOf(message.content),
        },
      ];
    case 'function':
      return [{ role: 'user', content: message.content }];
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

/** A model's turn: what it thought, said and called, in this order. */
function toOutputItems(message: AssistantMessage): Item[] {
  const { reasoning_details: details = [], tool_calls: calls } = message;
  const thoughts = details.flatMap((detail): Item[] => {
    const encrypted = detail.data == null ? undefined : openForResponses(detail.data);
    return encrypted === undefined ? [] : [{ type: 'reasoning', summary: [], encrypted_content: encrypted }];
  });
  const text = textOf(message.content);
  const said: Item[] = [
    ...(text === '' ? [] : [{ type: 'output_text', text }]),
    ...(message.refusal ? [{ type: 'refusal', refusal: message.refusal }] : []),
  ];
  return [
    ...thoughts,
    ...(said.length > 0 ? [{ role: 'assistant', content: said }] : []),
    ...(calls ?? []).map(({ id, function: { name, arguments: args } }) => ({
      type: 'function_call',
      call_id: toServerCallId(id, 'responses'),
      name,
      arguments: writtenArguments(args),
    })),
  ];
}

/** In Responses a function is strict unless it says otherwise; in chat it is the other way round. */
function toTools({ tools, tool_choice: choice, parallel_tool_calls }: ChatCompletionRequest): object {
  if (!tools || tools.length === 0) return {};
  return {
    tools: tools.map(({ function: { name, description, parameters, strict } }) => ({
      type: 'function',
      name,
      ...(description !== undefined && { description }),
      parameters: parameters ?? { type: 'object', properties: {} },
      strict: strict ?? false,
    })),
    ...(choice != null && {
      tool_choice: typeof choice === 'string' ? choice : { type: 'function', name: choice.function.name },
    }),
    ...(parallel_tool_calls != null && { parallel_tool_calls }),
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
