import type { AssistantBlock, ChatCompletionRequest, CountTokensRequest, UserBlock } from '@farebox/api';
import type { AskedOfServers } from './messages-body';

type Message = ChatCompletionRequest['messages'][number];

/**
 * The same request without seals and signatures of reasoning, for a server that rejects those of another one.
 * The conversation can then continue.
 */
export function withoutSeals({ request, original, ...others }: AskedOfServers): AskedOfServers {
  const messages = request.messages.map(withoutDetails);
  return {
    ...others,
    request: { ...request, messages },
    ...(original && { original: withoutThoughts(original) }),
  };
}

function withoutDetails(message: Message): Message {
  if (message.role !== 'assistant') return message;
  const { tool_calls: calls, ...others } = message;
  delete others.reasoning_details;
  if (!calls) return others;
  const unsigned = calls.map(({ id, type, function: called }) => ({ id, type, function: called }));
  return { ...others, tool_calls: unsigned };
}

const isSealed = ({ type }: { type: string }): boolean => type === 'thinking' || type === 'redacted_thinking';

function withoutThoughts({ messages, ...others }: CountTokensRequest): CountTokensRequest {
  const left = messages.map((message) =>
    typeof message.content === 'string'
      ? message
      : {
          ...message,
          content: (message.content as (AssistantBlock | UserBlock)[]).filter((block) => !isSealed(block)),
        },
  ) as CountTokensRequest['messages'];
  return { ...others, messages: left };
}
