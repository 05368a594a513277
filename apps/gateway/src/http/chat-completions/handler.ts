import type { IncomingMessage, ServerResponse } from 'node:http';
import { chatCompletionRequest, parseBody, type ChatCompletionRequest } from '@farebox/contracts';
import { ApiError } from '@farebox/errors';
import { readJsonBodyWithBytes, type JsonBodyLimits, type RequestContext } from '@farebox/http';
import type { IdempotencyClaim } from '@farebox/ledger';
import { readApiKeySecret, requireAccess } from '../../identity/caller';
import type { KeyDirectory } from '../../identity/key-directory';
import { completeChat, type CompleteChatDeps } from '../../use-cases/complete-chat';
import { fingerprintOf, readIdempotencyKey } from './idempotency-key';
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
    const asked = await readRequest(req, deps.bodyLimits);
    const chat = { requestId, startedAtMs, caller, identifyAgain, ...asked };
    await completeChat(deps, chat, new ResponseChannel(res));
  } catch (error) {
    // No hold was placed, so nothing has decided yet whether the remembered key is still live.
    if (error instanceof ApiError && error.status < 500 && error.status !== 429) await identifyAgain();
    throw error;
  }
}

/** What is asked for. The body is hashed only where the request may be repeated. */
async function readRequest(
  req: IncomingMessage,
  limits: JsonBodyLimits,
): Promise<{ body: ChatCompletionRequest; idempotency: IdempotencyClaim | undefined }> {
  const { value, bytes } = await readJsonBodyWithBytes(req, limits);
  const key = readIdempotencyKey(req.headers);
  const body = parseBody(chatCompletionRequest, value);
  if (key === undefined) return { body, idempotency: undefined };
  const fingerprint = fingerprintOf({ method: 'POST', path: '/v1/chat/completions', body: bytes });
  return { body, idempotency: { key, fingerprint } };
}
