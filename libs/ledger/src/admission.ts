import type { ErrorCode } from '@farebox/errors';
import type { NanoUsd } from '@farebox/money';

/** A request that asks for a hold. */
export interface Admission {
  holdId: string;
  accountId: string;
  apiKeyId: string;
  /** The version of the key that the caller identified; an older one is answered `key_changed`. */
  apiKeyVersion: number;
  /** The maximum cost of the request. */
  amountNano: NanoUsd;
  modelId: string;
  priceVersionId: string;
  requestId: string;
}

/** Why a hold was refused, in the order in which the database looks. */
export const REFUSALS = [
  'lease_lapsed',
  'key_not_live',
  'key_changed',
  'key_expired',
  'no_access',
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
  daily_request_cap: 'rate_limit_error',
  daily_spend_cap: 'rate_limit_error',
  key_month_limit: 'spending_limit_exceeded',
  insufficient_funds: 'insufficient_funds',
};

export type AdmissionResult =
  | { outcome: 'admitted' }
  | { outcome: 'key_changed' }
  | { outcome: 'insufficient_funds'; availableNano: NanoUsd }
  | { outcome: Exclude<Refusal, 'key_changed' | 'insufficient_funds'> };
