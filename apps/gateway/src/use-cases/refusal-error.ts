import { ApiError, type ApiErrorOptions } from '@farebox/errors';
import { ERROR_OF_REFUSAL, type AdmissionResult } from '@farebox/ledger';
import { toDecimalUsd, type NanoUsd } from '@farebox/money';
import { PRECONDITION_OF_REFUSAL, RefusalError } from './preconditions';

/** A hold that was not placed, for a reason that the client is told. */
export type RefusedAdmission = Exclude<
  AdmissionResult,
  { outcome: 'admitted' } | { outcome: 'key_changed' } | { outcome: 'replay' }
>;

/** What a refusal means to the client. */
export function toRefusalError(result: RefusedAdmission, neededNano: NanoUsd, nowMs: number): ApiError {
  const code = ERROR_OF_REFUSAL[result.outcome];
  const precondition = PRECONDITION_OF_REFUSAL[result.outcome];
  const refuse = (options?: ApiErrorOptions): ApiError =>
    precondition ? new RefusalError(precondition, code, options) : new ApiError(code, options);
  switch (result.outcome) {
    case 'insufficient_funds':
      return refuse({
        message:
          `This request can cost up to ${toDecimalUsd(neededNano)} USD, and ${toDecimalUsd(result.availableNano)} USD ` +
          'are available. A lower max_tokens lowers what is needed.',
      });
    case 'daily_request_cap':
    case 'daily_spend_cap':
      return refuse({
        message: 'The daily cap of this account is reached. It opens again at midnight UTC.',
        retryAfterSeconds: secondsToUtcMidnight(nowMs),
      });
    case 'lease_lapsed':
    case 'idempotency_in_progress':
      return refuse({ retryAfterSeconds: 1 });
    case 'key_not_live':
    case 'key_expired':
    case 'no_access':
    case 'idempotency_conflict':
    case 'key_month_limit':
      return refuse();
    case 'answer_withheld':
      return refuse({
        message:
          'This request was charged before, or its charge is under review, and its answer is not kept. It does not run ' +
          'again under this Idempotency-Key, and this answer is free.',
      });
  }
}

const DAY_MS = 86_400_000;

function secondsToUtcMidnight(nowMs: number): number {
  return (DAY_MS - (nowMs % DAY_MS)) / 1_000;
}
