import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendJson } from '@farebox/http';
import type { LiveCatalog } from '../../catalog/live-catalog';
import { readApiKeySecret, requireInvite, requireLive } from '../../identity/caller';
import type { KeyDirectory } from '../../identity/key-directory';
import { listModels } from '../../use-cases/list-models';

export interface ModelsDeps {
  keys: KeyDirectory;
  catalog: LiveCatalog;
}

/** `GET /v1/models`. There is no hold here: the key is looked up in the database each time. */
export async function handleModels(
  deps: ModelsDeps,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const caller = requireInvite(requireLive(await deps.keys.identifyNow(readApiKeySecret(req))));
  sendJson(res, 200, listModels(deps.catalog.current, caller));
}
