import { uuidV7 } from '@farebox/auth';
import type { Catalog } from './catalog';
import { toPriceColumns } from './price';
import { toStoredPrice } from './price-fields';

type Rows = readonly Record<string, unknown>[];

/** Rows of the catalogue's tables, by their columns. */
export interface CatalogRows {
  upstreams: Rows;
  models: Rows;
  routes: Rows;
  costs: Rows;
  /** One for each model. `catalog_write` leaves out those that are in force already. */
  prices: Rows;
}

/** A catalogue for `catalog_write`. */
export function toCatalogRows({ upstreams, models }: Catalog): CatalogRows {
  return {
    upstreams: upstreams.map((upstream) => ({
      id: upstream.id,
      base_url: upstream.baseUrl,
      api_key_env: upstream.apiKeyEnv,
      max_tokens_field: upstream.maxTokensField,
      wire: upstream.wire,
      prompt_cache: upstream.promptCache,
      dialect: upstream.dialect,
      connect_timeout_ms: upstream.connectTimeoutMs,
      first_byte_timeout_ms: upstream.firstByteTimeoutMs,
      idle_timeout_ms: upstream.idleTimeoutMs,
      total_timeout_ms: upstream.totalTimeoutMs,
    })),
    models: models.map(toModelRow),
    routes: models.flatMap(({ id, routes }) =>
      routes.map(({ upstreamId, upstreamModel, weight, priority }, position) => ({
        ...{ model_id: id, position, weight, priority },
        ...{ upstream_id: upstreamId, upstream_model: upstreamModel },
      })),
    ),
    costs: models.flatMap(({ id, routes }) =>
      routes.flatMap(({ cost }, position) =>
        cost ? [{ model_id: id, position, price: toStoredPrice(cost) }] : [],
      ),
    ),
    prices: models.map(({ id, price }) => ({ id: uuidV7(), model_id: id, ...toPriceColumns(price) })),
  };
}

function toModelRow(model: Catalog['models'][number], position: number): Record<string, unknown> {
  const { visibility, promptOverhead } = model;
  return {
    id: model.id,
    kind: model.kind,
    owned_by: model.ownedBy,
    position,
    visibility: visibility.to,
    cohorts: visibility.to === 'cohorts' ? visibility.cohorts : [],
    context_window: model.contextWindow,
    max_output_tokens: model.maxOutputTokens,
    default_max_output_tokens: model.defaultMaxOutputTokens,
    tokenizer: model.tokenizer,
    prompt_overhead: promptOverhead.prompt,
    message_overhead: promptOverhead.message,
    tools_overhead: promptOverhead.tools,
    modalities: model.modalities,
    image_tokens: model.imageTokens,
    file_tokens: model.fileTokens,
    extra_fields: model.extraFields,
  };
}
