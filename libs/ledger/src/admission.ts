import type { ErrorCode } from '@farebox/errors';
import type { NanoUsd } from '@farebox/money';

/** A request that asks for a hold. */
export interface Admission {
  holdId: string;
  accountId: string;
  apiKeyId: string;
  /** The version of the key that the caller identified; an older one is answered `key_changed`. */
  apiKeyVersion: number;
  /** The cohort that the request was planned for; an account in another one is answered `key_changed`. */
  cohortName?: string | undefined;
  /** The maximum cost of the request. */
  amountNano: NanoUsd;
  modelId: string;
  priceVersionId: string;
  requestId: string;
  idempotency?: IdempotencyClaim | undefined;
}

/** What makes a request repeatable: its Idempotency-Key, in the scope of the API key. */
export interface IdempotencyClaim {
  /** 1 to 255 printable ASCII characters. */
  key: string;
  /** SHA-256 over method, path and body bytes: another request under the same key is a conflict. */
  fingerprint: Uint8Array;
}

/** Why a hold was refused, in the order in which the database looks. */
export const REFUSALS = [
  'lease_lapsed',
  'key_not_live',
  'key_changed',
  'key_expired',
  'no_access',
  'idempotency_conflict',
  'idempotency_in_progress',
  'answer_withheld',
  'daily_request_cap',
  'daily_spend_cap',
  'key_month_limit',
  'insufficient_funds',
] as const;

export type Refusal = (typeof REFUSALS)[number];

/**
 * What a client is told of a refusal. `key_changed` has no error: the caller identifies the key again and asks once
 * more.
 */
export const ERROR_OF_REFUSAL: Record<Exclude<Refusal, 'key_changed'>, ErrorCode> = {
  lease_lapsed: 'service_unavailable',
  key_not_live: 'invalid_api_key',
  key_expired: 'expired_api_key',
  no_access: 'beta_access_required',
  idempotency_conflict: 'idempotency_conflict',
  idempotency_in_progress: 'idempotency_in_progress',
  answer_withheld: 'billing_error',
  daily_request_cap: 'rate_limit_error',
  daily_spend_cap: 'rate_limit_error',
  key_month_limit: 'spending_limit_exceeded',
  insufficient_funds: 'insufficient_funds',
};

export type AdmissionResult =
  | { outcome: 'admitted' }
  | { outcome: 'key_changed' }
  /** The request was charged before: its answer is kept under the hold that it had then. */
  | { outcome: 'replay'; holdId: string }
  | { outcome: 'insufficient_funds'; availableNano: NanoUsd }
  | { outcome: Exclude<Refusal, 'key_changed' | 'insufficient_funds'> };
