import { toPicoUsd } from '@farebox/money';
import type pg from 'pg';
import type { CatalogSnapshot, Modality, Model, Upstream, Visibility } from './catalog';
import type { TokenizerName } from './tokenizer';

type Queryable = Pick<pg.Pool, 'query'>;

/** The number that every `catalog apply` raises. */
export async function readCatalogVersion(pool: Queryable): Promise<number> {
  const { rows } = await pool.query<{ version: number }>({
    name: 'catalog_version',
    text: 'SELECT version FROM catalog_state',
  });
  return rows[0]?.version ?? 0;
}

interface UpstreamRow {
  id: string;
  base_url: string;
  api_key_env: string | null;
  max_tokens_field: Upstream['maxTokensField'];
  connect_timeout_ms: number;
  first_byte_timeout_ms: number;
  idle_timeout_ms: number;
  total_timeout_ms: number;
}

interface ModelRow {
  id: string;
  owned_by: string;
  context_window: number;
  max_output_tokens: number;
  default_max_output_tokens: number | null;
  tokenizer: TokenizerName | null;
  modalities: Modality[];
  image_tokens: number | null;
  prompt_overhead: number;
  message_overhead: number;
  tools_overhead: number;
  visibility: Visibility['to'];
  cohorts: string[];
  created_at: number;
  price_version_id: string;
  input_price_pico: string;
  output_price_pico: string;
  routes: { upstream_id: string; upstream_model: string }[];
}

/**
 * Reads the whole catalogue with the prices that are in force now. A price that was applied stays in force, also if the
 * database's clock has gone back since.
 */
export async function readCatalog(pool: Queryable): Promise<CatalogSnapshot> {
  // The version first: what changes in between is then read again, never missed.
  const version = await readCatalogVersion(pool);
  const upstreams = await pool.query<UpstreamRow>('SELECT * FROM upstream');
  const models = await pool.query<ModelRow>(
    `SELECT m.id, m.owned_by, m.context_window, m.max_output_tokens, m.default_max_output_tokens, m.tokenizer,
            m.modalities, m.image_tokens, m.prompt_overhead, m.message_overhead, m.tools_overhead, m.visibility, m.cohorts,
            round(extract(epoch FROM m.created_at))::float8 AS created_at,
            p.id AS price_version_id, p.input_price_pico::text, p.output_price_pico::text,
            coalesce((SELECT json_agg(json_build_object('upstream_id', r.upstream_id, 'upstream_model', r.upstream_model)
                                      ORDER BY r.position)
                      FROM model_route r WHERE r.model_id = m.id), '[]') AS routes
     FROM model m
     CROSS JOIN LATERAL (SELECT * FROM price_version p
                         WHERE p.model_id = m.id
                           AND p.starts_at <= greatest(clock_timestamp(), (SELECT applied_at FROM catalog_state))
                         ORDER BY p.starts_at DESC LIMIT 1) p`,
  );
  return {
    version,
    upstreams: new Map(upstreams.rows.map((row) => [row.id, toUpstream(row)])),
    models: new Map(models.rows.map((row) => [row.id, toModel(row)])),
  };
}

function toUpstream(row: UpstreamRow): Upstream {
  return {
    id: row.id,
    baseUrl: row.base_url,
    apiKeyEnv: row.api_key_env ?? undefined,
    maxTokensField: row.max_tokens_field,
    connectTimeoutMs: row.connect_timeout_ms,
    firstByteTimeoutMs: row.first_byte_timeout_ms,
    idleTimeoutMs: row.idle_timeout_ms,
    totalTimeoutMs: row.total_timeout_ms,
  };
}

function toModel(row: ModelRow): Model {
  return {
    id: row.id,
    ownedBy: row.owned_by,
    routes: row.routes.map((route) => ({
      upstreamId: route.upstream_id,
      upstreamModel: route.upstream_model,
    })),
    contextWindow: row.context_window,
    maxOutputTokens: row.max_output_tokens,
    defaultMaxOutputTokens: row.default_max_output_tokens ?? undefined,
    tokenizer: row.tokenizer ?? undefined,
    modalities: row.modalities,
    imageTokens: row.image_tokens ?? undefined,
    promptOverhead: {
      prompt: row.prompt_overhead,
      message: row.message_overhead,
      tools: row.tools_overhead,
    },
    visibility:
      row.visibility === 'cohorts' ? { to: 'cohorts', cohorts: row.cohorts } : { to: row.visibility },
    price: {
      id: row.price_version_id,
      inputPricePico: toPicoUsd(BigInt(row.input_price_pico)),
      outputPricePico: toPicoUsd(BigInt(row.output_price_pico)),
    },
    createdAt: row.created_at,
  };
}
