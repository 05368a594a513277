import {
  findUnknownMessagesFields,
  messagesRequest,
  parseBody,
  toMessagesError,
  type MessagesRequest,
} from '@farebox/contracts';
import { readApiKeyOrBearer } from '../../identity/api-keys';
import type { Wire } from '../wire';
import { createMessageWriter } from './message-writer';
import { toChatRequest } from './to-chat';

/** `POST /v1/messages`. Source: Anthropic API reference, create a message. */
export const messagesWire: Wire = {
  path: '/v1/messages',
  readSecret: readApiKeyOrBearer,
  read(value) {
    const request = parseBody(messagesRequest, value);
    return {
      body: toChatRequest(request),
      original: request,
      alsoSent: sealedTexts(request),
      unknown: findUnknownMessagesFields(value, request),
      writer: createMessageWriter(),
    };
  },
  toErrorBody: toMessagesError,
};

/** What was thought and is encrypted: a text for the server that has written it alone. */
function sealedTexts({ messages }: MessagesRequest): string[] {
  return messages.flatMap(({ content }) =>
    typeof content === 'string'
      ? []
      : content.flatMap((block) => (block.type === 'redacted_thinking' ? [block.data] : [])),
  );
}
