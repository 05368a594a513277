import type { IncomingMessage, ServerResponse } from 'node:http';
import { chatCompletionRequest, parseBody } from '@farebox/contracts';
import { ApiError } from '@farebox/errors';
import { readJsonBody, type JsonBodyLimits, type RequestContext } from '@farebox/http';
import { readApiKeySecret, requireAccess } from '../../identity/caller';
import type { KeyDirectory } from '../../identity/key-directory';
import { completeChat, type CompleteChatDeps } from '../../use-cases/complete-chat';
import { ResponseChannel } from './response-channel';

export interface ChatCompletionsDeps extends CompleteChatDeps {
  keys: KeyDirectory;
  bodyLimits: JsonBodyLimits;
}

/** `POST /v1/chat/completions`. Throws what the client is to be told while nothing was sent. */
export async function handleChatCompletion(
  deps: ChatCompletionsDeps,
  req: IncomingMessage,
  res: ServerResponse,
  { requestId, startedAtMs }: RequestContext,
): Promise<void> {
  const secret = readApiKeySecret(req);
  const identifyAgain = async () => requireAccess(await deps.keys.identifyNow(secret));
  const caller = requireAccess(await deps.keys.identify(secret));
  try {
    const body = parseBody(chatCompletionRequest, await readJsonBody(req, deps.bodyLimits));
    const chat = { requestId, startedAtMs, caller, identifyAgain, body };
    await completeChat(deps, chat, new ResponseChannel(res));
  } catch (error) {
    // No hold was placed, so nothing has decided yet whether the remembered key is still live.
    if (error instanceof ApiError && error.status < 500 && error.status !== 429) await identifyAgain();
    throw error;
  }
}
