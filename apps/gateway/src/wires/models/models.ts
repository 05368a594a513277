import type { IncomingMessage, ServerResponse } from 'node:http';
import { accessModel, listAccessibleModels, type Model } from '@farebox/catalog';
import { toModelTerms, type ModelInfo, type ModelInfoPage, type ModelList } from '@farebox/api';
import { sendJson } from '@farebox/http';
import type { LiveCatalog } from '../../upstream/live-catalog';
import { requireApiKeyOrBearer, requireApiKeySecret, type Caller } from '../../identity/api-keys';
import { RefusalError } from '../../refusals';
import { serveFree, type EntryDeps } from '../entry';

interface ModelsDeps extends EntryDeps {
  catalog: LiveCatalog;
}

/** Whether the client is one of Anthropic's, which send this header with every request. */
export function speaksAnthropic({ headers }: IncomingMessage): boolean {
  return headers['anthropic-version'] !== undefined;
}

/** `GET /v1/models`: exactly the models for which a request with this key would be admitted. */
export function handleModels(deps: ModelsDeps, req: IncomingMessage, res: ServerResponse): Promise<void> {
  return serveCaller(deps, req, res, (caller) => {
    const models = listAccessibleModels(deps.catalog.current.snapshot, caller);
    if (speaksAnthropic(req)) sendJson(res, 200, toModelPage(models));
    else sendJson(res, 200, { object: 'list', data: models.map(toRecord) } satisfies ModelList);
  });
}

/** `GET /v1/models/{model}`: one of them, or the error that a request for it would get. */
export function handleModel(
  deps: ModelsDeps,
  req: IncomingMessage & { params: Readonly<Record<string, string | readonly string[]>> },
  res: ServerResponse,
): Promise<void> {
  const { model = [] } = req.params;
  const modelId = typeof model === 'string' ? model : model.join('/');
  return serveCaller(deps, req, res, (caller) => {
    const access = accessModel(deps.catalog.current.snapshot, modelId, caller);
    if (access.outcome !== 'granted')
      throw new RefusalError('model_policy', access.outcome, { param: 'model' });
    sendJson(res, 200, speaksAnthropic(req) ? toModelInfo(access.model) : toRecord(access.model));
  });
}

async function serveCaller(
  deps: ModelsDeps,
  req: IncomingMessage,
  res: ServerResponse,
  serve: (caller: Caller) => void,
): Promise<void> {
  const secret = speaksAnthropic(req) ? requireApiKeyOrBearer(req) : requireApiKeySecret(req);
  await serveFree(deps, { req, res, secret }, (caller) => {
    serve(caller);
    return Promise.resolve();
  });
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
