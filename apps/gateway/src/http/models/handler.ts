import type { IncomingMessage, ServerResponse } from 'node:http';
import { listAccessibleModels } from '@farebox/catalog';
import { toModelTerms, type ModelList } from '@farebox/contracts';
import { sendJson } from '@farebox/http';
import type { LiveCatalog } from '../../catalog/live-catalog';
import { readApiKeySecret, requireInvite, requireLive, type KeyDirectory } from '../../identity/api-keys';

interface ModelsDeps {
  keys: KeyDirectory;
  catalog: LiveCatalog;
}

/** `GET /v1/models`: exactly what a request with this key would be admitted for. There is no hold here: the key is looked up in the database each time. */
export async function handleModels(
  deps: ModelsDeps,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const caller = requireInvite(requireLive(await deps.keys.identifyNow(readApiKeySecret(req))));
  const list: ModelList = {
    object: 'list',
    data: listAccessibleModels(deps.catalog.current.snapshot, caller).map((model) => ({
      id: model.id,
      object: 'model',
      created: model.createdAt,
      owned_by: model.ownedBy,
      ...toModelTerms(model),
    })),
  };
  sendJson(res, 200, list);
}
