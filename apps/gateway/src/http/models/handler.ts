import type { IncomingMessage, ServerResponse } from 'node:http';
import { accessModel, listAccessibleModels, type Model } from '@farebox/catalog';
import { toModelTerms, type ModelList } from '@farebox/contracts';
import { sendJson } from '@farebox/http';
import type { LiveCatalog } from '../../catalog/live-catalog';
import {
  readApiKeySecret,
  requireInvite,
  requireLive,
  type Caller,
  type KeyDirectory,
} from '../../identity/api-keys';
import { RefusalError } from '../../refusals';

interface ModelsDeps {
  keys: KeyDirectory;
  catalog: LiveCatalog;
}

/** `GET /v1/models`: exactly what a request with this key would be admitted for. */
export async function handleModels(
  deps: ModelsDeps,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const caller = await identifyNow(deps, req);
  const models = listAccessibleModels(deps.catalog.current.snapshot, caller);
  const list: ModelList = { object: 'list', data: models.map(toRecord) };
  sendJson(res, 200, list);
}

/** `GET /v1/models/{model}`: one of them, or what a request for it would be told. */
export async function handleModel(
  deps: ModelsDeps,
  req: IncomingMessage,
  res: ServerResponse,
  modelId: string,
): Promise<void> {
  const caller = await identifyNow(deps, req);
  const access = accessModel(deps.catalog.current.snapshot, modelId, caller);
  if (access.outcome !== 'granted')
    throw new RefusalError('model_policy', access.outcome, { param: 'model' });
  sendJson(res, 200, toRecord(access.model));
}

/** There is no hold here: the key is looked up in the database each time. */
async function identifyNow({ keys }: ModelsDeps, req: IncomingMessage): Promise<Caller> {
  return requireInvite(requireLive(await keys.identifyNow(readApiKeySecret(req))));
}

function toRecord(model: Model): ModelList['data'][number] {
  const { id, createdAt, ownedBy } = model;
  return { id, object: 'model', created: createdAt, owned_by: ownedBy, ...toModelTerms(model) };
}
