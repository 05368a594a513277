import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  countTokensRequest,
  findUnknownMessagesFields,
  parseBody,
  type CountTokensRequest,
} from '@farebox/contracts';
import { readJsonBodyWithBytes, sendJson, type JsonBodyLimits } from '@farebox/http';
import type { LiveCatalog } from '../../catalog/live-catalog';
import {
  readApiKeyOrBearer,
  requireInvite,
  requireLive,
  requireOrigin,
  type KeyDirectory,
} from '../../identity/api-keys';
import type { RequestLimiter } from '../../limiter/process-limiter';
import { toRefusal } from '../../refusals';
import type { TokenCounter } from '../../token-counts/token-counter';
import { ignoredHeaders } from '../../use-cases/paid-request';
import { targetsOf } from '../../use-cases/failed-calls';
import { extraFieldsOf, promptOfAll, requireModel, sentTo } from '../../use-cases/plan-completion';
import { estimatePrompt } from '../../use-cases/prompt';
import { toChatPrompt } from './to-chat';

interface CountTokensDeps {
  keys: KeyDirectory;
  catalog: LiveCatalog;
  limiter: RequestLimiter;
  counter: TokenCounter;
  bodyLimits: JsonBodyLimits;
}

/** `POST /v1/messages/count_tokens`: free, and counted by the request limit like any other work. */
export async function handleCountTokens(
  deps: CountTokensDeps,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  // There is no hold here: the key is looked up in the database each time.
  const caller = requireInvite(
    requireOrigin(requireLive(await deps.keys.identifyNow(readApiKeyOrBearer(req))), req, res),
  );
  const { value } = await readJsonBodyWithBytes(req, deps.bodyLimits);
  const request = read(value);
  const { current } = deps.catalog;
  const model = requireModel(current, caller, request.model, 'chat');
  const unknown = findUnknownMessagesFields(value, request);
  const permit = await deps.limiter.take(caller.apiKeyId);
  try {
    const ignored = ignoredHeaders([...unknown.own.keys(), ...unknown.inner]);
    for (const [name, text] of [...permit.headers, ...ignored]) res.setHeader(name, text);
    const sent = sentTo(targetsOf(model, current.clients), {
      request: toChatPrompt(request),
      original: request,
      extraFields: extraFieldsOf(model, unknown),
      maxOutputTokens: model.maxOutputTokens,
    });
    const input_tokens = await estimatePrompt(deps.counter, promptOfAll(sent), model, caller.accountId);
    sendJson(res, 200, { input_tokens });
  } finally {
    permit.release();
  }
}

function read(value: unknown): CountTokensRequest {
  try {
    return parseBody(countTokensRequest, value);
  } catch (error) {
    throw toRefusal('body', error);
  }
}
