import { accessModel, type Model, type ModelKind } from '@farebox/catalog';
import type { ServedCatalog } from '../upstream/live-catalog';
import type { Caller } from '../identity/api-keys';
import { RefusalError } from '../refusals';

const OF_ANOTHER_KIND: Record<ModelKind, string> = {
  chat: 'This model makes embeddings. Send this request to a chat model, or its text to /v1/embeddings.',
  embeddings: 'This model makes no embeddings. It is for chat.',
};

/**
 * The model of a request, if the caller may use it and it supports the endpoint. Throws `model_not_found`,
 * `model_not_allowed` or `invalid_request_error`.
 */
export function requireModel(
  { snapshot }: ServedCatalog,
  caller: Caller,
  modelId: string,
  kind: ModelKind,
): Model {
  const access = accessModel(snapshot, modelId, caller);
  if (access.outcome !== 'granted')
    throw new RefusalError('model_policy', access.outcome, { param: 'model' });
  if (access.model.kind === kind) return access.model;
  throw new RefusalError('model_policy', 'invalid_request_error', {
    param: 'model',
    message: OF_ANOTHER_KIND[kind],
  });
}
