import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  findUnknownMessagesFields,
  messagesRequest,
  parseBody,
  toMessagesError,
  type ChatCompletionRequest,
  type MessagesRequest,
} from '@farebox/api';
import { messagesOperations } from '@farebox/api/operations';
import { requireApiKeyOrBearer } from '../../identity/api-keys';
import type { Wire, WireRequest } from '../wire';
import { createMessageWriter } from './message-writer';
import { toChatRequest, writeInputs } from './to-chat';

/** `POST /v1/messages`. Source: Anthropic API reference, create a message. */
export const messagesWire: Wire = {
  path: messagesOperations.createMessage.path,
  readSecret: requireApiKeyOrBearer,
  read(value) {
    const request = parseBody(messagesRequest, value);
    return toWireRequest(value, request, toChatRequest(request));
  },
  async readInTurns(value, written) {
    const request = parseBody(messagesRequest, value);
    await nextTurn();
    return toWireRequest(value, request, toChatRequest(request, await writeInputs(request, written)));
  },
  toErrorBody: toMessagesError,
};

function toWireRequest(value: unknown, request: MessagesRequest, body: ChatCompletionRequest): WireRequest {
  return {
    body,
    original: request,
    ...(showsThoughts(request) && { reasoningSummary: 'auto' as const }),
    unknown: findUnknownMessagesFields(value, request),
    ownNames: OWN_NAMES,
    writer: createMessageWriter(),
  };
}

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
