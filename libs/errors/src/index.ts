export { ApiError, toApiError, type ApiErrorOptions, type ContextOverflow } from './api-error';
export {
  ERROR_CODES,
  type ErrorCode,
  errorPages,
  UNCHARGED_OUTCOMES,
  type UnchargedOutcome,
  USAGE_OUTCOMES,
  type UsageOutcome,
} from './error-codes';
