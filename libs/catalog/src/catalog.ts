import type { Price, PriceVersion } from './price';

/** Those that the gateway can count with. */
export const TOKENIZERS = ['o200k_base', 'cl100k_base'] as const;
export type TokenizerName = (typeof TOKENIZERS)[number];

/** A server that serves models. */
export interface Upstream {
  id: string;
  /** With the version path, e.g. `https://api.example.com/v1`. */
  baseUrl: string;
  /** Name of the environment variable with its secret; the secret itself is in no file and no table. */
  apiKeyEnv: string | undefined;
  /** The field in which this server takes the limit of output tokens. */
  maxTokensField: 'max_tokens' | 'max_completion_tokens';
  /** What it speaks: chat completions, or Anthropic's messages. */
  wire: 'chat' | 'messages';
  connectTimeoutMs: number;
  firstByteTimeoutMs: number;
  idleTimeoutMs: number;
  totalTimeoutMs: number;
}

export interface Route {
  upstreamId: string;
  /** The model's name at the upstream. Never shown to a client. */
  upstreamModel: string;
  /** How often it is tried first, measured against the others of its priority. */
  weight: number;
  /** Lower ones are tried first. */
  priority: number;
  /** What it costs whoever runs the service. Never shown to a client; only `readCatalogWithCosts` reads it. */
  cost?: Price | undefined;
}

/** To whom a model is offered. */
export type Visibility =
  { to: 'public' } | { to: 'disabled' } | { to: 'cohorts'; cohorts: readonly string[] };

/** The most tokens that a model's chat template adds to the texts of a request. */
export interface PromptOverhead {
  /** Once: what the template begins and ends with, system blocks that it injects included. */
  prompt: number;
  /** Around each message. */
  message: number;
  /** Once if there are tools: how to call them. */
  tools: number;
}

/** A field of another vendor that goes upstream as it came. */
export interface ExtraField {
  name: string;
  /** The most tokens that it can add to the prompt, beside those of its own text. */
  promptTokens: number;
}

/** What a model is for. */
export type ModelKind = 'chat' | 'embeddings';

export type Modality = 'text' | 'image' | 'file';

export interface ModelDefinition {
  id: string;
  kind: ModelKind;
  ownedBy: string;
  /** As the catalogue file has them; `drawRoutes` says in which order a request tries them. */
  routes: readonly Route[];
  /** Of one input, if it is for embeddings. */
  contextWindow: number;
  /** 0 if it is for embeddings. */
  maxOutputTokens: number;
  /** Assumed if a request names no limit. */
  defaultMaxOutputTokens: number | undefined;
  tokenizer: TokenizerName | undefined;
  modalities: readonly Modality[];
  /** Upper bound of the prompt tokens of one image. Present if `modalities` has `image`. */
  imageTokens: number | undefined;
  /** Upper bound of the prompt tokens of one file. Present if `modalities` has `file`. */
  fileTokens: number | undefined;
  promptOverhead: PromptOverhead;
  /** What of a request that is not known here goes upstream all the same. */
  extraFields: readonly ExtraField[];
  visibility: Visibility;
}

/** What the catalogue file says. */
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

/** The catalogue as the database has it, read at one moment. */
export interface CatalogSnapshot {
  version: number;
  upstreams: ReadonlyMap<string, Upstream>;
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
