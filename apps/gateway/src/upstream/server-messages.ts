import type { Dialect } from '@farebox/catalog';
import type { ServedMessage } from '@farebox/api';
import { toServerCallId } from './call-ids';
import { sentArguments } from './tool-arguments';

type AssistantMessage = Extract<ServedMessage, { role: 'assistant' }>;
type ToolCall = NonNullable<AssistantMessage['tool_calls']>[number];

/** Converts the conversation for a chat server, whichever wire the client uses. */
export function toServerMessages(messages: readonly ServedMessage[], dialect: Dialect): object[] {
  return messages.map((message) => toServerMessage(message, dialect));
}

function toServerMessage(message: ServedMessage, dialect: Dialect): object {
  switch (message.role) {
    case 'developer':
      return { ...withoutName(message, dialect), role: dialect.roleDeveloper };
    case 'tool': {
      const tool_call_id = toServerCallId(message.tool_call_id, 'chat', dialect.callIds);
      return { ...withoutName(message, dialect), tool_call_id };
    }
    case 'assistant':
      return toServerAnswer(withoutName(message, dialect), dialect);
    case 'system':
    case 'user':
      return withoutName(message, dialect);
    case 'function':
      return message;
  }
}

function withoutName<Named extends { name?: string | undefined }>(
  message: Named,
  { messageNames }: Dialect,
): Named {
  if (messageNames === 'kept' || message.name === undefined) return message;
  const others = { ...message };
  delete others.name;
  return others;
}

function toServerAnswer(message: AssistantMessage, dialect: Dialect): object {
  const {
    reasoning_content: thought,
    reasoning_details: details,
    refusal,
    tool_calls: calls,
    ...others
  } = message;
  delete others.phase;
  const isField = dialect.refusal === 'field';
  const content = refusal != null && !isField ? withRefusal(others.content, refusal) : others.content;
  // The message had only thoughts, or nothing. Servers refuse a message without content.
  const isEmpty = content == null && !calls && others.function_call == null && refusal == null;
  return {
    ...others,
    ...(isEmpty ? { content: '' } : content !== undefined && { content }),
    ...(refusal != null && isField && { refusal }),
    ...toThought(thought, details, dialect.historyReasoning),
    ...(calls && { tool_calls: toServerCalls(calls, dialect) }),
  };
}

/** OpenRouter takes the details of a thought, or its text if there are none. */
function toThought(
  thought: string | null | undefined,
  details: AssistantMessage['reasoning_details'],
  field: Dialect['historyReasoning'],
): object {
  if (field === 'none') return {};
  if (field === 'reasoning_details' && details?.length) return { reasoning_details: details };
  if (thought == null) return {};
  return field === 'reasoning_content' ? { reasoning_content: thought } : { reasoning: thought };
}

function withRefusal(content: AssistantMessage['content'], refusal: string): AssistantMessage['content'] {
  if (content == null || content === '') return refusal;
  return typeof content === 'string'
    ? `${content}\n${refusal}`
    : [...content, { type: 'text', text: refusal }];
}

/** Gemini's value for a call made by another model. Source: Gemini API, "Thought signatures", FAQs. */
const NO_SIGNATURE = { google: { thought_signature: 'skip_thought_signature_validator' } };

/** Gemini signs the first of several simultaneous calls, and requires the signature there. */
function toServerCalls(calls: readonly ToolCall[], { callSignatures, callIds }: Dialect): object[] {
  const lacksSignature =
    callSignatures === 'google' && calls.every(({ extra_content: extra }) => extra == null);
  return calls.map(({ id, type, extra_content: extra, function: { name, arguments: args } }, at) => ({
    id: toServerCallId(id, 'chat', callIds),
    type,
    ...(callSignatures !== 'none' && extra != null && { extra_content: extra }),
    ...(lacksSignature && at === 0 && { extra_content: NO_SIGNATURE }),
    function: { name, arguments: sentArguments(args) },
  }));
}
