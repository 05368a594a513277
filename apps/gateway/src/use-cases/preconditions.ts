import { ApiError } from '@farebox/errors';
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

const refusers = new WeakMap<ApiError, Precondition>();

/** Marks an error as the answer to a precondition that does not hold. */
export function refusedBy(precondition: Precondition | undefined, error: ApiError): ApiError {
  if (precondition) refusers.set(error, precondition);
  return error;
}

/** Checks a precondition. Where the client is to mend what the check throws, it is marked with the precondition. */
export async function precondition<T>(name: Precondition, check: () => Promise<T>): Promise<T> {
  try {
    return await check();
  } catch (error) {
    throw markedBy(name, error);
  }
}

/** `precondition`, of a check that waits for nothing. */
export function preconditionNow<T>(name: Precondition, check: () => T): T {
  try {
    return check();
  } catch (error) {
    throw markedBy(name, error);
  }
}

function markedBy(name: Precondition, error: unknown): unknown {
  return error instanceof ApiError && error.status < 500 ? refusedBy(name, error) : error;
}

/** The precondition that an error answers to, for the log; undefined where it answers to none. */
export function refuserOf(thrown: unknown): Precondition | undefined {
  return thrown instanceof ApiError ? refusers.get(thrown) : undefined;
}
