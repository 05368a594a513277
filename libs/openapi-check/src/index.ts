export { ContractCheck } from './contract-check';
export { DocumentSchemas, type Problems } from './document-schemas';
export type { Exchange } from './exchange';
export { findOperation, type FoundOperation, type FoundPath } from './find-operation';
