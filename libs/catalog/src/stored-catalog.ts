import { type Queryable, withTransaction } from '@farebox/database';
import type pg from 'pg';
import type {
  Catalog,
  CatalogSnapshot,
  ExtraField,
  Modality,
  Model,
  ModelKind,
  Route,
  TokenizerName,
  Upstream,
  Visibility,
} from './catalog';
import { toCatalogRows } from './catalog-rows';
import { type Dialect, USUAL_DIALECT } from './dialect';
import { PRICE_COLUMNS, type PriceRow, type PriceVersion, toPriceVersion } from './price';
import { fromStoredPrice } from './price-fields';

/** Raised by every `catalog apply`. */
export async function readCatalogVersion(pool: Queryable): Promise<number> {
  const { rows } = await pool.query<{ version: number }>({
    name: 'catalog_version',
    text: 'SELECT version FROM catalog_state',
  });
  return rows[0]?.version ?? 0;
}

const UPSTREAMS = `SELECT id, base_url AS "baseUrl", api_key_env AS "apiKeyEnv", max_tokens_field AS "maxTokensField", wire, dialect, prompt_cache AS "promptCache",
    connect_timeout_ms AS "connectTimeoutMs", first_byte_timeout_ms AS "firstByteTimeoutMs",
    idle_timeout_ms AS "idleTimeoutMs", total_timeout_ms AS "totalTimeoutMs"
  FROM upstream`;

interface UpstreamRow extends Omit<Upstream, 'apiKeyEnv' | 'dialect'> {
  apiKeyEnv: string | null;
  /** Empty in rows of the former version. */
  dialect: Partial<Dialect>;
}

interface ModelRow extends PriceRow {
  id: string;
  kind: ModelKind;
  owned_by: string;
  context_window: number;
  max_output_tokens: number;
  default_max_output_tokens: number | null;
  tokenizer: TokenizerName | null;
  modalities: Modality[];
  image_tokens: number | null;
  file_tokens: number | null;
  extra_fields: ExtraField[];
  prompt_overhead: number;
  message_overhead: number;
  tools_overhead: number;
  visibility: Visibility['to'];
  cohorts: string[];
  created_at: number;
  routes: Route[];
}

/**
 * Reads the whole catalogue, models in their order, with the prices in force. An applied price stays in force
 * even if the database's clock goes back.
 */
export async function readCatalog(pool: Queryable): Promise<CatalogSnapshot> {
  // Read the version first: a change in between is then read twice, never missed.
  const version = await readCatalogVersion(pool);
  const upstreams = await pool.query<UpstreamRow>(UPSTREAMS);
  const models = await pool.query<ModelRow>(
    `SELECT m.id, m.kind, m.owned_by, m.context_window, m.max_output_tokens, m.default_max_output_tokens, m.tokenizer,
            m.modalities, m.image_tokens, m.file_tokens, m.extra_fields, m.prompt_overhead, m.message_overhead, m.tools_overhead, m.visibility, m.cohorts,
            round(extract(epoch FROM m.created_at))::float8 AS created_at,
            ${PRICE_COLUMNS},
            coalesce((SELECT json_agg(json_build_object('upstreamId', r.upstream_id, 'upstreamModel', r.upstream_model,
                                                        'weight', r.weight,
                                                        'priority', coalesce(r.priority, r.position))
                                      ORDER BY r.position)
                      FROM model_route r WHERE r.model_id = m.id), '[]') AS routes
     FROM model m
     CROSS JOIN LATERAL (SELECT * FROM price_version p
                         WHERE p.model_id = m.id
                           AND p.starts_at <= greatest(clock_timestamp(), (SELECT applied_at FROM catalog_state))
                         ORDER BY p.starts_at DESC LIMIT 1) p
     ORDER BY m.position, m.kind <> 'chat', m.id COLLATE "C"`,
  );
  return {
    version,
    upstreams: new Map(
      upstreams.rows.map((row) => [
        row.id,
        { ...row, apiKeyEnv: row.apiKeyEnv ?? undefined, dialect: { ...USUAL_DIALECT, ...row.dialect } },
      ]),
    ),
    models: new Map(models.rows.map((row) => [row.id, toModel(row)])),
  };
}

/** `readCatalog` plus the operator's own cost of routes, which the account service has no right to read. */
export async function readCatalogWithCosts(pool: Queryable): Promise<CatalogSnapshot> {
  const catalog = await readCatalog(pool);
  const { rows } = await pool.query<{ modelId: string; position: number; price: unknown }>(
    'SELECT model_id AS "modelId", position, price FROM route_cost',
  );
  const costs = new Map(rows.map((row) => [`${row.modelId} ${String(row.position)}`, row.price]));
  const models = [...catalog.models.values()].map((model): [string, Model] => {
    const routes = model.routes.map((route, position) => {
      const cost = costs.get(`${model.id} ${String(position)}`);
      return cost === undefined ? route : { ...route, cost: fromStoredPrice(cost) };
    });
    return [model.id, { ...model, routes }];
  });
  return { ...catalog, models: new Map(models) };
}

function toModel(row: ModelRow): Model {
  return {
    id: row.id,
    kind: row.kind,
    ownedBy: row.owned_by,
    routes: row.routes,
    contextWindow: row.context_window,
    maxOutputTokens: row.max_output_tokens,
    defaultMaxOutputTokens: row.default_max_output_tokens ?? undefined,
    tokenizer: row.tokenizer ?? undefined,
    modalities: row.modalities,
    imageTokens: row.image_tokens ?? undefined,
    fileTokens: row.file_tokens ?? undefined,
    extraFields: row.extra_fields,
    promptOverhead: {
      prompt: row.prompt_overhead,
      message: row.message_overhead,
      tools: row.tools_overhead,
    },
    visibility:
      row.visibility === 'cohorts' ? { to: 'cohorts', cohorts: row.cohorts } : { to: row.visibility },
    price: toPriceVersion(row),
    createdAt: row.created_at,
  };
}

interface AppliedCatalog {
  models: number;
  upstreams: number;
  /** Models that are new or whose price changed; each got a price version. */
  newPrices: number;
  version: number;
}

/** `writeCatalog` in its own transaction. */
export function applyCatalog(pool: pg.Pool, catalog: Catalog): Promise<AppliedCatalog> {
  return withTransaction(pool, (client) => writeCatalog(client, catalog));
}

/**
 * Makes the database's catalogue equal to the file's, within the transaction of `client`: see `catalog_write` in
 * libs/catalog/sql/write.sql.
 */
export async function writeCatalog(client: Queryable, catalog: Catalog): Promise<AppliedCatalog> {
  const { rows } = await client.query<{ version: number; newPrices: number }>(
    'SELECT new_version AS version, new_prices AS "newPrices" FROM catalog_write($1)',
    [JSON.stringify(toCatalogRows(catalog))],
  );
  const [written] = rows;
  if (!written) throw new Error('the catalogue was not written');
  return { models: catalog.models.length, upstreams: catalog.upstreams.length, ...written };
}

/** A current or former price of a model. */
export interface PriceEntry extends PriceVersion {
  modelId: string;
  startsAt: Date;
  /** When the next price replaced it; null for the price in force. */
  endsAt: Date | null;
  /** The version of the catalogue that began it, and who applied that; null if its file was not kept. */
  version: number | null;
  appliedBy: string | null;
}

/** All current and former prices, of one model or of every model, newest first per model. At most `limit`. */
export async function listPrices(
  db: Pick<pg.Pool, 'query'>,
  { modelId, limit }: { modelId: string | undefined; limit: number },
): Promise<PriceEntry[]> {
  const { rows } = await db.query<
    PriceRow & {
      model_id: string;
      starts_at: Date;
      ends_at: Date | null;
      version: number | null;
      applied_by: string | null;
    }
  >(
    `SELECT ${PRICE_COLUMNS}, p.model_id, p.starts_at,
            lead(p.starts_at) OVER (PARTITION BY p.model_id ORDER BY p.starts_at) AS ends_at, v.version, v.applied_by
     FROM price_version p LEFT JOIN catalog_version v ON v.applied_at = p.starts_at WHERE $1::text IS NULL OR p.model_id = $1
     ORDER BY p.model_id, p.starts_at DESC LIMIT $2`,
    [modelId ?? null, limit],
  );
  return rows.map((row) => ({
    ...toPriceVersion(row),
    modelId: row.model_id,
    startsAt: row.starts_at,
    endsAt: row.ends_at,
    version: row.version,
    appliedBy: row.applied_by,
  }));
}
