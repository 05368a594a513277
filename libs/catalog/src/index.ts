export { applyCatalog, writeCatalog, type AppliedCatalog } from './apply-catalog';
export type {
  Catalog,
  CatalogSnapshot,
  Model,
  Price,
  PriceVersion,
  PromptOverhead,
  Route,
  Upstream,
  Visibility,
} from './catalog';
export { CatalogError, parseCatalog } from './catalog-file';
export { diffCatalog, type CatalogChange, type FieldChange } from './diff-catalog';
export {
  accessModel,
  listAccessibleModels,
  type Caller,
  type ModelAccess,
  type ModelPolicy,
} from './model-access';
export { costOf, maximumCost, outputTokensFor, type RequestBounds, type TokenUsage } from './pricing';
export {
  atLeast,
  boundCounted,
  boundPrompt,
  countedTexts,
  estimatePromptTokens,
  leastPromptTokens,
  type Prompt,
  type PromptMeasure,
  type TokenCount,
} from './prompt-tokens';
export { listPrices, type PriceEntry } from './list-prices';
export { readCatalog, readCatalogVersion } from './read-catalog';
export { TOKENIZERS, type TokenizerName } from './tokenizer';
