import type { ServedMessage } from '@farebox/contracts';
import { toServerCallId } from './call-ids';
import { writtenArguments } from './tool-arguments';

type AssistantMessage = Extract<ServedMessage, { role: 'assistant' }>;

/** The conversation as servers of chat take it, whichever client it comes from. */
export function toServerMessages(messages: readonly ServedMessage[]): ServedMessage[] {
  return messages.map(toServerMessage);
}

function toServerMessage(message: ServedMessage): ServedMessage {
  switch (message.role) {
    case 'developer':
      // Most servers do not know this role; those that do read `system` as it.
      return { ...message, role: 'system' };
    case 'tool':
      return { ...message, tool_call_id: toServerCallId(message.tool_call_id, 'chat') };
    case 'assistant':
      return toServerAnswer(message);
    case 'system':
    case 'user':
    case 'function':
      return message;
  }
}

function toServerAnswer(message: AssistantMessage): ServedMessage {
  const { content, refusal, tool_calls: calls, function_call: only } = message;
  if (calls) {
    const tool_calls = calls.map(({ id, type, function: { name, arguments: args } }) => ({
      id: toServerCallId(id, 'chat'),
      type,
      function: { name, arguments: writtenArguments(args) },
    }));
    return { ...message, tool_calls };
  }
  // It had thoughts alone, or nothing: a message without content is refused.
  return content == null && only == null && refusal == null ? { ...message, content: '' } : message;
}
