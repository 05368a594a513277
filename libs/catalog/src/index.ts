export {
  accessModel,
  type Caller,
  type Catalog,
  type CatalogSnapshot,
  drawRoutes,
  listAccessibleModels,
  type Model,
  type ModelKind,
  type PromptOverhead,
  type Route,
  type TokenizerName,
  type Upstream,
} from './catalog';
export { CatalogError, parseCatalog } from './catalog-file';
export { diffCatalog, type CatalogChange } from './diff-catalog';
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
  boundCountedInputs,
  boundInputs,
  boundPrompt,
  countedTexts,
  type EmbeddingInputs,
  estimatePromptTokens,
  leastInputTokens,
  leastPromptTokens,
  outputTokensFor,
  type Prompt,
  type TokenCount,
} from './prompt-cost';
export {
  applyCatalog,
  listPrices,
  readCatalog,
  readCatalogWithCosts,
  readCatalogVersion,
  writeCatalog,
  type PriceEntry,
} from './stored-catalog';
