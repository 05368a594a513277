import type { IncomingMessage, ServerResponse } from 'node:http';
import { accessModel, listAccessibleModels, type Model } from '@farebox/catalog';
import { toModelTerms, type ModelInfo, type ModelInfoPage, type ModelList } from '@farebox/contracts';
import { sendJson } from '@farebox/http';
import type { LiveCatalog } from '../../catalog/live-catalog';
import {
  readApiKeyOrBearer,
  readApiKeySecret,
  requireInvite,
  requireLive,
  requireOrigin,
  type Caller,
  type KeyDirectory,
} from '../../identity/api-keys';
import { RefusalError } from '../../refusals';

interface ModelsDeps {
  keys: KeyDirectory;
  catalog: LiveCatalog;
}

/** Whether the client is one of Anthropic's, who send this header with every request. */
export function speaksAnthropic({ headers }: IncomingMessage): boolean {
  return headers['anthropic-version'] !== undefined;
}

/** `GET /v1/models`: exactly what a request with this key would be admitted for. */
export async function handleModels(
  deps: ModelsDeps,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const caller = await identifyNow(deps, req, res);
  const models = listAccessibleModels(deps.catalog.current.snapshot, caller);
  if (speaksAnthropic(req)) sendJson(res, 200, toModelPage(models));
  else sendJson(res, 200, { object: 'list', data: models.map(toRecord) } satisfies ModelList);
}

/** `GET /v1/models/{model}`: one of them, or what a request for it would be told. */
export async function handleModel(
  deps: ModelsDeps,
  req: IncomingMessage,
  res: ServerResponse,
  modelId: string,
): Promise<void> {
  const caller = await identifyNow(deps, req, res);
  const access = accessModel(deps.catalog.current.snapshot, modelId, caller);
  if (access.outcome !== 'granted')
    throw new RefusalError('model_policy', access.outcome, { param: 'model' });
  sendJson(res, 200, speaksAnthropic(req) ? toModelInfo(access.model) : toRecord(access.model));
}

/** There is no hold here: the key is looked up in the database each time. */
async function identifyNow({ keys }: ModelsDeps, req: IncomingMessage, res: ServerResponse): Promise<Caller> {
  const secret = speaksAnthropic(req) ? readApiKeyOrBearer(req) : readApiKeySecret(req);
  return requireInvite(requireOrigin(requireLive(await keys.identifyNow(secret)), req, res));
}

function toRecord(model: Model): ModelList['data'][number] {
  const { id, createdAt, ownedBy } = model;
  return { id, object: 'model', created: createdAt, owned_by: ownedBy, ...toModelTerms(model) };
}

/** All models are on one page. */
function toModelPage(models: readonly Model[]): ModelInfoPage {
  const data = models.map(toModelInfo);
  return { data, has_more: false, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
}

function toModelInfo(model: Model): ModelInfo {
  const { id, createdAt, contextWindow, maxOutputTokens } = model;
  return {
    type: 'model',
    id,
    display_name: id,
    created_at: new Date(createdAt * 1_000).toISOString(),
    max_input_tokens: contextWindow,
    max_tokens: maxOutputTokens,
    ...toModelTerms(model),
  };
}
