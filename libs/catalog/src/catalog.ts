import { z } from 'zod';
import type { Dialect, UpstreamWire } from './dialect';
import type { Price, PriceVersion } from './price';
import { priceEntry, toPrice, toPriceTexts } from './price-fields';
import type { PromptCache } from './prompt-cache';

/** Tokenizers that the gateway can count with. */
export const TOKENIZERS = ['o200k_base', 'cl100k_base'] as const;
export type TokenizerName = (typeof TOKENIZERS)[number];

/** A server that serves models. */
export interface Upstream {
  id: string;
  /** With the version path, e.g. `https://api.example.com/v1`. */
  baseUrl: string;
  /** Name of the environment variable with the secret; the secret itself is in no file and no table. */
  apiKeyEnv: string | undefined;
  /** The field in which this server expects the output token limit. */
  maxTokensField: 'max_tokens' | 'max_completion_tokens';
  wire: UpstreamWire;
  dialect: Dialect;
  promptCache: PromptCache;
  connectTimeoutMs: number;
  firstByteTimeoutMs: number;
  idleTimeoutMs: number;
  totalTimeoutMs: number;
}

export interface Route {
  upstreamId: string;
  /** The model's name at the upstream. Never shown to a client. */
  upstreamModel: string;
  /** Share of requests that try this route first, relative to the others of its priority. */
  weight: number;
  /** Lower priorities are tried first. */
  priority: number;
  /** The operator's own cost. Never shown to a client; only `readCatalogWithCosts` reads it. */
  cost?: Price | undefined;
}

/** The accounts that a model is offered to. */
export type Visibility =
  { to: 'public' } | { to: 'disabled' } | { to: 'cohorts'; cohorts: readonly string[] };

/** Upper bounds of the tokens that a model's chat template adds to a request. */
export interface PromptOverhead {
  /** Once per request: the start and end of the template, including system blocks that it injects. */
  prompt: number;
  /** Per message. */
  message: number;
  /** Once if there are tools: the instructions for calling them. */
  tools: number;
}

/** A field of another vendor, forwarded upstream unchanged. */
export interface ExtraField {
  name: string;
  /** Upper bound of the prompt tokens that it adds beyond its own text. */
  promptTokens: number;
}

export type ModelKind = 'chat' | 'embeddings';

export type Modality = 'text' | 'image' | 'file';

export interface ModelDefinition {
  id: string;
  kind: ModelKind;
  ownedBy: string;
  /** In the order of the catalogue file; `drawRoutes` decides the order in which a request tries them. */
  routes: readonly Route[];
  /** Per input for embeddings models. */
  contextWindow: number;
  /** 0 for embeddings models. */
  maxOutputTokens: number;
  /** Used if a request sets no limit. */
  defaultMaxOutputTokens: number | undefined;
  tokenizer: TokenizerName | undefined;
  modalities: readonly Modality[];
  /** Upper bound of the prompt tokens of one image. Present if `modalities` has `image`. */
  imageTokens: number | undefined;
  /** Upper bound of the prompt tokens of one file. Present if `modalities` has `file`. */
  fileTokens: number | undefined;
  promptOverhead: PromptOverhead;
  /** Fields that the API does not define and that are forwarded upstream all the same. */
  extraFields: readonly ExtraField[];
  visibility: Visibility;
}

/** The content of a catalogue file. */
export interface Catalog {
  upstreams: Upstream[];
  models: (ModelDefinition & { price: Price })[];
}

/** A model as it is served now. */
export interface Model extends ModelDefinition {
  price: PriceVersion;
  /** Unix seconds. */
  createdAt: number;
}

/** The catalogue in the database at one moment. */
export interface CatalogSnapshot {
  version: number;
  upstreams: ReadonlyMap<string, Upstream>;
  /** In the order of the catalogue file. */
  models: ReadonlyMap<string, Model>;
}

/** A key's own list of models. */
interface ModelPolicy {
  mode: 'allow' | 'block';
  models: readonly string[];
}

export interface Caller {
  cohortName: string;
  modelPolicy: ModelPolicy | null;
}

type ModelAccess =
  | { outcome: 'granted'; model: Model }
  /** It does not exist, is disabled, or is not offered to the account. Callers must not learn which. */
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

/**
 * The models that a request of this caller would be admitted for, in the catalogue's order: clients often
 * take the first.
 */
export function listAccessibleModels(catalog: CatalogSnapshot, caller: Caller): Model[] {
  return [...catalog.models.values()].filter(
    (model) => accessModel(catalog, model.id, caller).outcome === 'granted',
  );
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

const smallNumber = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .refine(
      (value) => value >= least && value <= most,
      `must be between ${String(least)} and ${String(most)}`,
    );

/** A route of the catalogue file. Its upstream is resolved later. */
export const routeEntry = z.strictObject({
  upstream: z.string(),
  model: z.string().min(1).max(256),
  weight: smallNumber(1, 1_000).optional(),
  priority: smallNumber(0, 1_000).optional(),
  /** The operator's own cost per token. */
  cost: priceEntry.optional(),
  /** The model's name in public price lists, for imports alone. */
  listed_as: z.string().min(1).max(256).optional(),
});

/**
 * If no route has a weight or a priority, routes are tried in file order. If any has one, the others default
 * to weight 1 and priority 0.
 */
export function toRoutes(entries: readonly z.output<typeof routeEntry>[]): Route[] {
  const areOrdered = entries.every(({ weight, priority }) => weight === undefined && priority === undefined);
  return entries.map(({ upstream, model, weight = 1, priority, cost }, position) => ({
    upstreamId: upstream,
    upstreamModel: model,
    weight,
    priority: priority ?? (areOrdered ? position : 0),
    ...(cost && { cost: toPrice(cost) }),
  }));
}

/** One line, for the diff of two catalogues. Weights and priorities appear only if they matter. */
export function toRoutesText(routes: readonly Route[]): string {
  const areOrdered = routes.every(({ weight, priority }, position) => weight === 1 && priority === position);
  return routes
    .map(({ upstreamId, upstreamModel, weight, priority, cost }) => {
      const order = areOrdered ? [] : [`priority ${String(priority)}`, `weight ${String(weight)}`];
      const costs = Object.entries(cost ? toPriceTexts(cost) : {}).map(([name, price]) => `${name} ${price}`);
      const said = [...order, ...(costs.length === 0 ? [] : [`cost: ${costs.join(', ')}`])];
      const name = `${upstreamId}/${upstreamModel}`;
      return said.length === 0 ? name : `${name} (${said.join(', ')})`;
    })
    .join(', ');
}

/**
 * The order in which one request tries the routes: by priority, lowest first; within a priority by a weighted
 * draw, so that a route of weight 3 precedes one of weight 1 three times out of four. `draw` returns at least
 * 0 and less than 1: at random, or the same value for the same route and conversation (weighted rendezvous
 * hashing), which keeps a conversation on its route while that route exists.
 */
export function drawRoutes(routes: readonly Route[], draw: (route: Route) => number): readonly Route[] {
  if (routes.length < 2) return routes;
  // The shortest of exponential waits, each with the rate of its weight, is a draw by weight.
  return routes
    .map((route) => ({ route, wait: -Math.log(1 - draw(route)) / route.weight }))
    .sort((a, b) => a.route.priority - b.route.priority || a.wait - b.wait)
    .map(({ route }) => route);
}
