import { ApiError, type ApiErrorOptions, type ErrorCode } from '@farebox/errors';
import type { Refusal } from '@farebox/ledger';

/**
 * What must hold before anything runs, in the published order: where several do not, the first is the answer. The last
 * four are decided by the ledger, in this order, in the transaction that places the hold; it looks at the first two
 * once more. Source: decisions, "Chat completions".
 */
export const PRECONDITIONS = [
  'credential',
  'invite',
  'body_size',
  'body',
  'model_policy',
  'request_limit',
  'idempotency',
  'account_caps',
  'key_month_limit',
  'balance',
] as const;

export type Precondition = (typeof PRECONDITIONS)[number];

/** What the ledger found wanting. Nothing of the request, where it is the gateway's own lease. */
export const PRECONDITION_OF_REFUSAL: Record<Refusal, Precondition | undefined> = {
  lease_lapsed: undefined,
  key_not_live: 'credential',
  key_changed: 'credential',
  key_expired: 'credential',
  no_access: 'invite',
  idempotency_conflict: 'idempotency',
  idempotency_in_progress: 'idempotency',
  answer_withheld: 'idempotency',
  daily_request_cap: 'account_caps',
  daily_spend_cap: 'account_caps',
  key_month_limit: 'key_month_limit',
  insufficient_funds: 'balance',
};

/** The answer to a request that does not meet a precondition. */
export class RefusalError extends ApiError {
  readonly precondition: Precondition;

  constructor(precondition: Precondition, code: ErrorCode, options?: ApiErrorOptions) {
    super(code, options);
    this.precondition = precondition;
  }
}

/**
 * What a check throws that knows nothing of preconditions, as a refusal by this one. A failure of the service, and what
 * is no answer at all, refuses nothing and stays as it is.
 */
export function toRefusal(precondition: Precondition, thrown: unknown): unknown {
  if (!(thrown instanceof ApiError) || thrown.status >= 500) return thrown;
  const { code, publicMessage: message, param, retryAfterSeconds, status, headers, cause } = thrown;
  return new RefusalError(precondition, code, {
    message,
    param,
    headers,
    cause,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...(code === 'invalid_request_error' ? { status: status as NonNullable<ApiErrorOptions['status']> } : {}),
  });
}
