export { createFareboxClient, unwrap, type FareboxClient, type FareboxClientOptions } from './create-client';
export { FareboxError, UnexpectedAnswerError, type FareboxErrorCode } from './farebox-error';
export type { components, operations, paths } from './generated/api';
