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
export { applyCatalogFile, summariseChanges, type AppliedFile } from './apply-catalog-file';
export {
  applyDueSchedule,
  findOpenSchedule,
  findScheduledFile,
  LATE_SECONDS,
  listScheduledCatalogs,
  scheduleCatalog,
  withdrawSchedule,
  type EndedSchedule,
  type ScheduledCatalog,
} from './catalog-schedule';
export {
  findCatalogFile,
  findReplacement,
  listCatalogVersions,
  type CatalogVersion,
} from './catalog-versions';
export { CatalogError, parseCatalog } from './catalog-file';
export { type Dialect, USUAL_DIALECT } from './dialect';
export { diffCatalog, type CatalogChange } from './diff-catalog';
export {
  importPrices,
  type ImportInto,
  type PriceChange,
  type PriceImport,
  type PriceRefusal,
} from './import-prices';
export { readListedPrices, type ListedModel } from './listed-prices';
export { priceWarnings } from './price-warnings';
export {
  type CostKind,
  type CostLine,
  costLines,
  costOf,
  type DatedPriceVersion,
  findPriceVersion,
  maximumCost,
  KIND_PRICES,
  type Price,
  type PricedUsage,
  type PricedVersion,
  type PriceStep,
  readPrices,
  readPricesOfPeriod,
  type TokenUsage,
} from './price';
export { KIND_FIELDS, priceTexts } from './price-fields';
export {
  boundCounted,
  boundCountedInputs,
  boundInputs,
  boundPrompt,
  countedTexts,
  type EmbeddingInputs,
  estimatePromptTokens,
  leastInputTokens,
  leastPromptTokens,
  leastTokensOf,
  LONGEST_TOKEN_BYTES,
  outputTokensFor,
  type Prompt,
  type PromptTexts,
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
