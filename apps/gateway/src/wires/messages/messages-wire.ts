import {
  findUnknownMessagesFields,
  messagesRequest,
  parseBody,
  toMessagesError,
  type MessagesRequest,
} from '@farebox/api';
import { messagesOperations } from '@farebox/api/operations';
import { requireApiKeyOrBearer } from '../../identity/api-keys';
import type { Wire } from '../wire';
import { createMessageWriter } from './message-writer';
import { toChatRequest } from './to-chat';

/** `POST /v1/messages`. Source: Anthropic API reference, create a message. */
export const messagesWire: Wire = {
  path: messagesOperations.createMessage.path,
  readSecret: requireApiKeyOrBearer,
  read(value) {
    const request = parseBody(messagesRequest, value);
    return {
      body: toChatRequest(request),
      original: request,
      ...(showsThoughts(request) && { reasoningSummary: 'auto' as const }),
      unknown: findUnknownMessagesFields(value, request),
      ownNames: OWN_NAMES,
      writer: createMessageWriter(),
    };
  },
  toErrorBody: toMessagesError,
};

/** This wire's names for chat fields. */
const OWN_NAMES = new Map([
  ['reasoning_effort', 'thinking'],
  ['reasoning.summary', 'thinking.display'],
  ['response_format', 'output_config.format'],
  ['parallel_tool_calls', 'tool_choice.disable_parallel_tool_use'],
  ['stop', 'stop_sequences'],
]);

function showsThoughts({ thinking }: MessagesRequest): boolean {
  return thinking != null && thinking.type !== 'disabled' && thinking.display !== 'omitted';
}
