import { ApiError } from '@farebox/errors';
import { ERROR_OF_REFUSAL, type AdmissionResult } from '@farebox/ledger';
import { toDecimalUsd, type NanoUsd } from '@farebox/money';

/** A hold that was not placed, for a reason that the client is told. */
export type RefusedAdmission = Exclude<
  AdmissionResult,
  { outcome: 'admitted' } | { outcome: 'key_changed' } | { outcome: 'replay' }
>;

/** What a refusal means to the client. */
export function toRefusalError(result: RefusedAdmission, neededNano: NanoUsd, nowMs: number): ApiError {
  const code = ERROR_OF_REFUSAL[result.outcome];
  switch (result.outcome) {
    case 'insufficient_funds':
      return new ApiError(code, {
        message:
          `This request can cost up to ${toDecimalUsd(neededNano)} USD, and ${toDecimalUsd(result.availableNano)} USD ` +
          'are available. A lower max_tokens lowers what is needed.',
      });
    case 'daily_request_cap':
    case 'daily_spend_cap':
      return new ApiError(code, {
        message: 'The daily cap of this account is reached. It opens again at midnight UTC.',
        retryAfterSeconds: secondsToUtcMidnight(nowMs),
      });
    case 'lease_lapsed':
    case 'idempotency_in_progress':
      return new ApiError(code, { retryAfterSeconds: 1 });
    case 'key_not_live':
    case 'key_expired':
    case 'no_access':
    case 'idempotency_conflict':
    case 'key_month_limit':
      return new ApiError(code);
    case 'answer_withheld':
      return new ApiError(code, {
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
