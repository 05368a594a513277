import { toPicoUsd } from '@farebox/money';
import { parse } from 'yaml';
import { z } from 'zod';
import { type Catalog, routeEntry, TOKENIZERS, toRoutes, type Upstream } from './catalog';
import { dialectEntry, toDialect, WIRES } from './dialect';
import { PRESET_NAMES, presetOf } from './presets';
import { KIND_FIELDS, priceProblems, priceFields, toPrice } from './price-fields';
import { fitsWire, PROMPT_CACHES, usualPromptCache } from './prompt-cache';

/** The catalogue file is not valid. `problems` has one sentence per problem. */
export class CatalogError extends Error {
  readonly problems: string[];
  constructor(problems: string[]) {
    super(problems.join('\n'));
    this.name = 'CatalogError';
    this.problems = problems;
  }
}

const MAX_MS = 3_600_000;
const MAX_TOKENS = 100_000_000;

// Parse without YAML's own numbers: prices must not pass through a float.
const wholeNumber = (max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value >= 1 && value <= max, `must be between 1 and ${String(max)}`);

const overheadTokens = (usual: number) =>
  z
    .string()
    .regex(/^\d{1,6}$/, 'must be a whole number below 1000000')
    .transform(Number)
    .default(usual);

/**
 * Generous: the highest values measured on the templates of known families are 196, 7 and 128.
 * docs/operate/catalog.md has the table.
 */
const promptOverhead = z.strictObject({
  prompt: overheadTokens(256),
  message: overheadTokens(16),
  tools: overheadTokens(256),
});

/**
 * Fields that an extra field must not name: the service sets or handles them itself, or they make a server
 * generate more than was asked for.
 */
const RESERVED_FIELDS = new Set(
  [
    'model messages prompt input max_tokens max_completion_tokens max_new_tokens max_length n_predict n best_of',
    'num_beams num_return_sequences use_beam_search beam_width echo stream stream_options logprobs top_logprobs',
    'temperature top_p frequency_penalty presence_penalty logit_bias seed stop tools tool_choice parallel_tool_calls',
    'response_format reasoning_effort user metadata store service_tier prompt_cache_key prompt_cache_retention cache_salt',
    'safety_identifier verbosity audio modalities prediction web_search_options functions function_call',
  ].flatMap((names) => names.split(' ')),
);

const extraFieldName = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,63}$/, 'must be 1 to 64 small letters, digits or _')
  .refine((name) => !RESERVED_FIELDS.has(name), 'is a field that the service handles itself');

/** The name alone costs nothing beyond its text. */
const extraField = z.preprocess(
  (entry) => (typeof entry === 'string' ? { name: entry } : entry),
  z.strictObject({ name: extraFieldName, prompt_tokens: overheadTokens(0) }),
);

const id = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$/, 'must be 1 to 128 letters, digits or ._:/-');

const upstream = z.strictObject({
  id,
  base_url: z.string(),
  api_key_env: z
    .string()
    .regex(/^[A-Z][A-Z0-9_]*$/, 'must be the name of an environment variable, not the secret')
    .optional(),
  /** The vendor of the server, whose usual settings then apply. */
  preset: z.enum(PRESET_NAMES).optional(),
  max_tokens_field: z.enum(['max_tokens', 'max_completion_tokens']).optional(),
  wire: z.enum(WIRES).optional(),
  dialect: dialectEntry.default({}),
  prompt_cache: z.enum(PROMPT_CACHES).optional(),
  connect_timeout_ms: wholeNumber(MAX_MS).default(5_000),
  first_byte_timeout_ms: wholeNumber(MAX_MS).default(60_000),
  idle_timeout_ms: wholeNumber(MAX_MS).default(30_000),
  total_timeout_ms: wholeNumber(MAX_MS).default(600_000),
});

const model = z.strictObject({
  id,
  kind: z.enum(['chat', 'embeddings']).default('chat'),
  owned_by: z.string().min(1).max(64).optional(),
  routes: z.array(routeEntry).min(1).max(16),
  ...priceFields,
  /** Embeddings have no output. */
  output_price: priceFields.output_price.optional(),
  context_window: wholeNumber(MAX_TOKENS),
  max_output_tokens: wholeNumber(MAX_TOKENS).optional(),
  default_max_output_tokens: wholeNumber(MAX_TOKENS).optional(),
  tokenizer: z.enum(TOKENIZERS).optional(),
  modalities: z
    .array(z.enum(['text', 'image', 'file']))
    .min(1)
    .default(['text']),
  image_tokens: wholeNumber(MAX_TOKENS).optional(),
  file_tokens: wholeNumber(MAX_TOKENS).optional(),
  prompt_overhead: promptOverhead.prefault({}),
  extra_fields: z.array(extraField).max(64).default([]),
  visibility: z
    .union([z.enum(['public', 'disabled']), z.strictObject({ cohorts: z.array(z.string().min(1)).min(1) })])
    .default('public'),
});

const file = z.strictObject({ upstreams: z.array(upstream).min(1), models: z.array(model).min(1) });

/**
 * Reads a catalogue file. `${NAME}` and `${NAME:-default}` in a `base_url` are taken from the environment.
 * `ownedByDefault` is the owner of models that name none. Throws `CatalogError` with every problem.
 */
export function parseCatalog(
  yamlText: string,
  env: Record<string, string | undefined>,
  ownedByDefault = 'farebox',
): Catalog {
  let document: unknown;
  try {
    document = parse(yamlText, { schema: 'failsafe' });
  } catch (error) {
    throw new CatalogError([error instanceof Error ? error.message : 'The file is not YAML.']);
  }
  const parsed = file.safeParse(document);
  if (!parsed.success) {
    throw new CatalogError(
      parsed.error.issues.map((issue) => `${issue.path.join('.') || 'file'}: ${issue.message}`),
    );
  }
  const problems: string[] = [];
  const upstreams = parsed.data.upstreams.map((entry) => toUpstream(entry, env, problems));
  const models = parsed.data.models.map((entry) => toModel(entry, ownedByDefault));
  problems.push(...parsed.data.models.flatMap((entry) => [...kindProblems(entry), ...priceProblems(entry)]));
  problems.push(...inconsistencies({ upstreams, models }));
  if (problems.length > 0) throw new CatalogError(problems);
  return { upstreams, models };
}

function toUpstream(
  entry: z.output<typeof upstream>,
  env: Record<string, string | undefined>,
  problems: string[],
): Upstream {
  const baseUrl = resolveBaseUrl(entry.id, entry.base_url, env, problems);
  const preset = entry.preset && presetOf(entry.preset);
  const wire = entry.wire ?? preset?.wire ?? 'chat';
  const ofPreset = preset?.promptCache && fitsWire(preset.promptCache, wire) ? preset.promptCache : undefined;
  return {
    id: entry.id,
    baseUrl,
    apiKeyEnv: entry.api_key_env,
    maxTokensField: entry.max_tokens_field ?? preset?.maxTokensField ?? 'max_tokens',
    wire,
    dialect: toDialect(entry.dialect, preset?.dialect),
    promptCache: entry.prompt_cache ?? ofPreset ?? usualPromptCache(baseUrl),
    connectTimeoutMs: entry.connect_timeout_ms,
    firstByteTimeoutMs: entry.first_byte_timeout_ms,
    idleTimeoutMs: entry.idle_timeout_ms,
    totalTimeoutMs: entry.total_timeout_ms,
  };
}

function toModel(entry: z.output<typeof model>, ownedByDefault: string): Catalog['models'][number] {
  return {
    id: entry.id,
    kind: entry.kind,
    ownedBy: entry.owned_by ?? ownedByDefault,
    routes: toRoutes(entry.routes),
    price: toPrice({ ...entry, output_price: entry.output_price ?? toPicoUsd(0n) }),
    contextWindow: entry.context_window,
    maxOutputTokens: entry.max_output_tokens ?? 0,
    defaultMaxOutputTokens: entry.default_max_output_tokens,
    tokenizer: entry.tokenizer,
    modalities: entry.modalities,
    imageTokens: entry.image_tokens,
    fileTokens: entry.file_tokens,
    promptOverhead: entry.prompt_overhead,
    extraFields: entry.extra_fields.map(({ name, prompt_tokens: promptTokens }) => ({ name, promptTokens })),
    visibility:
      typeof entry.visibility === 'string'
        ? { to: entry.visibility }
        : { to: 'cohorts', cohorts: entry.visibility.cohorts },
  };
}

/** Chat models have an output price and an output limit; embeddings are not tokens. */
function kindProblems(entry: z.output<typeof model>): string[] {
  const isForChat = entry.kind === 'chat';
  const required = ['output_price', 'max_output_tokens'] as const;
  const problems = required
    .filter((field) => (entry[field] !== undefined) !== isForChat)
    .map((field) => `model ${entry.id}: ${field} ${isForChat ? 'is required' : 'is for chat only'}`);
  const chatOnly = [
    ...(['default_max_output_tokens', 'image_tokens', 'file_tokens'] as const),
    ...KIND_FIELDS,
    ...(['image_price', 'price_steps'] as const),
  ];
  const others = isForChat ? [] : chatOnly.filter((field) => entry[field] !== undefined);
  return [...problems, ...others.map((field) => `model ${entry.id}: ${field} is for chat only`)];
}

const VARIABLE = /\$\{([A-Z][A-Z0-9_]*)(?::-([^}]*))?\}/g;

function resolveBaseUrl(
  upstreamId: string,
  template: string,
  env: Record<string, string | undefined>,
  problems: string[],
): string {
  const resolved = template.replace(VARIABLE, (_, name: string, fallback?: string) => {
    const value = env[name] ?? fallback;
    if (value === undefined)
      problems.push(`upstream ${upstreamId}: the environment variable ${name} is not set`);
    return value ?? '';
  });
  const url = URL.canParse(resolved) ? new URL(resolved) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.search || url.hash) {
    problems.push(
      `upstream ${upstreamId}: base_url must be an http or https URL without credentials or query`,
    );
  }
  return resolved.replace(/\/+$/, '');
}

function inconsistencies({ upstreams, models }: Catalog): string[] {
  const problems: string[] = [];
  const upstreamIds = new Set(upstreams.map((entry) => entry.id));
  if (upstreamIds.size < upstreams.length) problems.push('two upstreams have the same id');
  if (new Set(models.map((entry) => entry.id)).size < models.length)
    problems.push('two models have the same id');
  for (const { id, promptCache, wire } of upstreams) {
    if (!fitsWire(promptCache, wire))
      problems.push(`upstream ${id}: prompt_cache: ${promptCache} is not a field of the wire ${wire}`);
  }
  for (const entry of models) {
    for (const route of entry.routes) {
      if (!upstreamIds.has(route.upstreamId))
        problems.push(`model ${entry.id}: there is no upstream ${route.upstreamId}`);
    }
    if (entry.maxOutputTokens > entry.contextWindow) {
      problems.push(`model ${entry.id}: max_output_tokens is over the context_window`);
    }
    if ((entry.defaultMaxOutputTokens ?? 0) > entry.maxOutputTokens) {
      problems.push(`model ${entry.id}: default_max_output_tokens is over max_output_tokens`);
    }
    for (const [modality, tokens] of [
      ['image', entry.imageTokens],
      ['file', entry.fileTokens],
    ] as const) {
      if (entry.modalities.includes(modality) === (tokens !== undefined)) continue;
      const field = `${modality}_tokens`;
      problems.push(
        `model ${entry.id}: ${field} goes with the modality ${modality}, and the modality with ${field}`,
      );
    }
    const extraFields = entry.extraFields.map(({ name }) => name);
    if (new Set(extraFields).size < extraFields.length)
      problems.push(`model ${entry.id}: two extra_fields have the same name`);
  }
  return problems;
}
