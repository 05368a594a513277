export { ApiError, toApiError, type ApiErrorOptions } from './api-error';
export { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './durations';
export { ERROR_CODES, type ErrorCode } from './error-codes';
export { errorPages } from './error-pages';
export { NoAnswerInTimeError, singleFlight, within } from './promises';
export {
  UNCHARGED_OUTCOMES,
  USAGE_OUTCOMES,
  type UnchargedOutcome,
  type UsageOutcome,
} from './usage-outcomes';
