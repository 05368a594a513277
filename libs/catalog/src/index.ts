export {
  accessModel,
  listAccessibleModels,
  type Caller,
  type Catalog,
  type CatalogSnapshot,
  type Model,
  type PromptOverhead,
  type Route,
  type TokenizerName,
  type Upstream,
} from './catalog';
export { CatalogError, parseCatalog } from './catalog-file';
export { diffCatalog, type CatalogChange } from './diff-catalog';
export {
  atLeast,
  boundCounted,
  boundPrompt,
  costOf,
  countedTexts,
  estimatePromptTokens,
  leastPromptTokens,
  maximumCost,
  outputTokensFor,
  type Prompt,
  type TokenCount,
  type TokenUsage,
} from './prompt-cost';
export {
  applyCatalog,
  listPrices,
  readCatalog,
  readCatalogVersion,
  writeCatalog,
  type PriceEntry,
} from './stored-catalog';
