export { ApiError, toApiError, type ApiErrorOptions, type ErrorEnvelope } from './api-error';
export { DEFAULT_MESSAGES, ERROR_CODES, type ErrorCode, type ErrorType } from './error-codes';
