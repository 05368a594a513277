export {
  accessModel,
  listAccessibleModels,
  type Caller,
  type Catalog,
  type CatalogSnapshot,
  type Model,
  type ModelKind,
  type PromptOverhead,
  type Route,
  type TokenizerName,
  type Upstream,
} from './catalog';
export { CatalogError, parseCatalog } from './catalog-file';
export { diffCatalog, type CatalogChange } from './diff-catalog';
export { boundCountedInputs, boundInputs, leastInputTokens, type EmbeddingInputs } from './embeddings-cost';
export {
  costLines,
  costOf,
  maximumCost,
  type CostKind,
  type CostLine,
  type Price,
  type PricedUsage,
  type PriceStep,
  type TokenUsage,
} from './price';
export { priceTexts } from './price-fields';
export { findPriceVersion, readPrices, type DatedPriceVersion, type PricedVersion } from './stored-price';
export {
  atLeast,
  boundCounted,
  boundPrompt,
  countedTexts,
  estimatePromptTokens,
  leastPromptTokens,
  outputTokensFor,
  type Prompt,
  type TokenCount,
} from './prompt-cost';
export { drawRoutes } from './routes';
export {
  applyCatalog,
  listPrices,
  readCatalog,
  readCatalogWithCosts,
  readCatalogVersion,
  writeCatalog,
  type PriceEntry,
} from './stored-catalog';
