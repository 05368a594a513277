import type { CatalogSnapshot, Model } from './catalog';

/** A key's own list of models. */
export interface ModelPolicy {
  mode: 'allow' | 'block';
  models: readonly string[];
}

export interface Caller {
  cohortName: string;
  modelPolicy: ModelPolicy | null;
}

export type ModelAccess =
  | { outcome: 'granted'; model: Model }
  /** It does not exist, is disabled, or is not offered to the account: the three are told apart nowhere. */
  | { outcome: 'model_not_found' }
  /** The account may use it, the key may not. */
  | { outcome: 'model_not_allowed' };

/** Whether a caller may use a model. The listing and the admission of requests ask the same question. */
export function accessModel(catalog: CatalogSnapshot, modelId: string, caller: Caller): ModelAccess {
  const model = catalog.models.get(modelId);
  if (!model || !isOffered(model, caller.cohortName)) return { outcome: 'model_not_found' };
  if (!isPermitted(modelId, caller.modelPolicy)) return { outcome: 'model_not_allowed' };
  return { outcome: 'granted', model };
}

/** The models that a request of this caller would be admitted for, in order of their ids. */
export function listAccessibleModels(catalog: CatalogSnapshot, caller: Caller): Model[] {
  return [...catalog.models.values()]
    .filter((model) => accessModel(catalog, model.id, caller).outcome === 'granted')
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

function isOffered({ visibility }: Model, cohortName: string): boolean {
  switch (visibility.to) {
    case 'public':
      return true;
    case 'disabled':
      return false;
    case 'cohorts':
      return visibility.cohorts.includes(cohortName);
  }
}

function isPermitted(modelId: string, policy: ModelPolicy | null): boolean {
  return policy === null || policy.models.includes(modelId) === (policy.mode === 'allow');
}
