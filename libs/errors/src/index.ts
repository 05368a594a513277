export { ApiError, toApiError, type ApiErrorOptions } from './api-error';
export { NoAnswerInTimeError, within } from './deadline';
export { ERROR_CODES, type ErrorCode } from './error-codes';
export { errorPages } from './error-pages';
export { USAGE_OUTCOMES, type UsageOutcome } from './usage-outcomes';
