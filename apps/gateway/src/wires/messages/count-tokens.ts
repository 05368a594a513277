import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  checkSchemas,
  countTokensRequest,
  findUnknownMessagesFields,
  parseBody,
  type CountTokensRequest,
} from '@farebox/api';
import { Pace } from '@farebox/flow';
import { readJsonBodyWithBytes, sendJson, type JsonBodyLimits } from '@farebox/http';
import type { LiveCatalog } from '../../upstream/live-catalog';
import { requireApiKeyOrBearer } from '../../identity/api-keys';
import type { RequestLimiter } from '../../limiter/request-limits';
import { toRefusal } from '../../refusals';
import type { TokenCounter } from '../../tokens/token-counter';
import { ignoredHeaders } from '../../paid/paid-request';
import { targetsOf } from '../../upstream/failed-calls';
import { extraFieldsOf, promptOfAll, sentInTurns, sentTo } from '../../chat/plan-completion';
import { requireModel } from '../../paid/require-model';
import { estimatePrompt } from '../../tokens/prompt-counts';
import { serveFree, type EntryDeps } from '../entry';
import { toChatPrompt, writeInputs } from './to-chat';

interface CountTokensDeps extends EntryDeps {
  countLimiter: RequestLimiter;
  catalog: LiveCatalog;
  counter: TokenCounter;
  bodyLimits: JsonBodyLimits;
}

/** `POST /v1/messages/count_tokens`: free, with limits of its own. */
export async function handleCountTokens(
  deps: CountTokensDeps,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const secret = requireApiKeyOrBearer(req);
  const entry = { ...deps, limiter: deps.countLimiter };
  await serveFree(entry, { req, res, secret }, async (caller, room) => {
    const { value, written, isLong } = await readJsonBodyWithBytes(req, deps.bodyLimits, room);
    if (isLong) await checkSchemas(value, new Pace());
    const request = read(value);
    const { current } = deps.catalog;
    const model = requireModel(current, caller, request.model, 'chat');
    const unknown = findUnknownMessagesFields(value, request);
    for (const [name, text] of ignoredHeaders([...unknown.own.keys(), ...unknown.inner]))
      res.setHeader(name, text);
    const asked = {
      request: toChatPrompt(request, isLong ? await writeInputs(request) : undefined),
      written,
      original: request,
      extraFields: extraFieldsOf(model, unknown),
      maxOutputTokens: model.maxOutputTokens,
    };
    const targets = targetsOf(model, current.clients);
    const sent = isLong ? await sentInTurns(targets, asked) : sentTo(targets, asked);
    const input_tokens = await estimatePrompt(
      deps.counter,
      promptOfAll(sent, asked),
      model,
      caller.accountId,
    );
    sendJson(res, 200, { input_tokens });
  });
}

function read(value: unknown): CountTokensRequest {
  try {
    return parseBody(countTokensRequest, value);
  } catch (error) {
    throw toRefusal('body', error);
  }
}
