import type { PicoUsd } from '@farebox/money';
import type { TokenizerName } from './tokenizer';

/** An OpenAI-compatible server that serves models. */
export interface Upstream {
  id: string;
  /** With the version path, e.g. `https://api.example.com/v1`. */
  baseUrl: string;
  /** Name of the environment variable with its secret; the secret itself is in no file and no table. */
  apiKeyEnv: string | undefined;
  /** The field in which this server takes the limit of output tokens. */
  maxTokensField: 'max_tokens' | 'max_completion_tokens';
  connectTimeoutMs: number;
  firstByteTimeoutMs: number;
  idleTimeoutMs: number;
  totalTimeoutMs: number;
}

export interface Route {
  upstreamId: string;
  /** The model's name at the upstream. Never shown to a client. */
  upstreamModel: string;
}

/** To whom a model is offered. */
export type Visibility =
  { to: 'public' } | { to: 'disabled' } | { to: 'cohorts'; cohorts: readonly string[] };

/** Prices in pico-dollars a token. */
export interface Price {
  inputPricePico: PicoUsd;
  outputPricePico: PicoUsd;
}

export interface PriceVersion extends Price {
  id: string;
}

/** The most tokens that a model's chat template adds to the texts of a request. */
export interface PromptOverhead {
  /** Once: what the template begins and ends with, system blocks that it injects included. */
  prompt: number;
  /** Around each message. */
  message: number;
  /** Once if there are tools: how to call them. */
  tools: number;
}

export type Modality = 'text' | 'image';

export interface ModelDefinition {
  id: string;
  ownedBy: string;
  /** In the order in which they are tried. */
  routes: readonly Route[];
  contextWindow: number;
  maxOutputTokens: number;
  /** Assumed if a request names no limit. */
  defaultMaxOutputTokens: number | undefined;
  tokenizer: TokenizerName | undefined;
  modalities: readonly Modality[];
  /** Upper bound of the prompt tokens of one image. Present if `modalities` has `image`. */
  imageTokens: number | undefined;
  promptOverhead: PromptOverhead;
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
