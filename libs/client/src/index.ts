export { createFareboxClient, unwrap, type FareboxClient, type FareboxClientOptions } from './create-client';
export {
  checkProof,
  checkRoots,
  type LedgerProof,
  type LedgerRoot,
  type ProofCheck,
  type ProofExpectations,
  type ProofProblem,
  type ProvenEntry,
} from './check-proof';
export { readProof, readRoots } from './read-proof';
export { FareboxError, UnexpectedAnswerError, type FareboxErrorCode } from './farebox-error';
export type { components, operations, paths } from './generated/api';
