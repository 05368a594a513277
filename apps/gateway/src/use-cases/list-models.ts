import { listAccessibleModels } from '@farebox/catalog';
import type { ModelList } from '@farebox/contracts';
import type { ServedCatalog } from '../catalog/live-catalog';
import type { Caller } from '../identity/caller';

/** Exactly the models that a request with this key would be admitted for. */
export function listModels(catalog: ServedCatalog, caller: Caller): ModelList {
  return {
    object: 'list',
    data: listAccessibleModels(catalog.snapshot, caller).map((model) => ({
      id: model.id,
      object: 'model',
      created: model.createdAt,
      owned_by: model.ownedBy,
    })),
  };
}
