import type { ApiKeyIdentity } from '@farebox/accounts';
import { isRetryable } from '@farebox/database';
import { ApiError, type ApiErrorOptions, type ErrorCode } from '@farebox/errors';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '@farebox/flow';
import {
  HoldLostError,
  LedgerUnavailableError,
  type AdmissionResult,
  type Quote,
  type Refusal,
  type SpendingLimit,
} from '@farebox/ledger';
import { toDecimalUsd, toNanoUsd, ZERO_NANO, type NanoUsd } from '@farebox/money';

/**
 * The preconditions of every request, in the published order: if several fail, the first is the response. The ledger
 * decides the last five, in this order, in the transaction that places the hold, and checks the first two again.
 * Source: docs/design/decisions.md, "Chat completions".
 */
export const PRECONDITIONS = [
  'credential',
  'invite',
  'request_limit',
  'body_size',
  'body',
  'model_policy',
  'idempotency',
  'account_caps',
  'key_month_limit',
  'balance',
  'limit_policies',
] as const;

export type Precondition = (typeof PRECONDITIONS)[number];

/**
 * The ledger's reason for a refusal, and its error. It is no fault of the request if the gateway's own lease has
 * lapsed. A changed key is no error: the caller identifies it again and retries.
 */
export const REFUSED = {
  lease_lapsed: { precondition: undefined, code: 'service_unavailable' },
  key_not_live: { precondition: 'credential', code: 'invalid_api_key' },
  key_changed: { precondition: 'credential', code: undefined },
  key_expired: { precondition: 'credential', code: 'expired_api_key' },
  no_access: { precondition: 'invite', code: 'beta_access_required' },
  idempotency_conflict: { precondition: 'idempotency', code: 'idempotency_conflict' },
  idempotency_in_progress: { precondition: 'idempotency', code: 'idempotency_in_progress' },
  answer_withheld: { precondition: 'idempotency', code: 'billing_error' },
  daily_request_cap: { precondition: 'account_caps', code: 'rate_limit_error' },
  daily_spend_cap: { precondition: 'account_caps', code: 'rate_limit_error' },
  abandonment_cap: { precondition: 'account_caps', code: 'rate_limit_error' },
  abandonment_at_risk: { precondition: 'account_caps', code: 'rate_limit_error' },
  key_month_limit: { precondition: 'key_month_limit', code: 'spending_limit_exceeded' },
  insufficient_funds: { precondition: 'balance', code: 'insufficient_funds' },
  limit_policy: { precondition: 'limit_policies', code: 'rate_limit_error' },
} as const satisfies Record<Refusal, { precondition: Precondition | undefined; code: ErrorCode | undefined }>;

/** The error of a request that fails a precondition. */
export class RefusalError extends ApiError {
  readonly precondition: Precondition;

  constructor(precondition: Precondition, code: ErrorCode, options?: ApiErrorOptions) {
    super(code, options);
    this.precondition = precondition;
  }
}

/** Errors that the guards of libs/auth throw without knowing the preconditions. */
const OF_CALLER: Partial<Record<ErrorCode, Precondition>> = {
  authentication_error: 'credential',
  invalid_api_key: 'credential',
  expired_api_key: 'credential',
  beta_access_required: 'invite',
};

/** The precondition that an error belongs to, if any. */
export function preconditionOf(thrown: unknown): Precondition | undefined {
  if (thrown instanceof RefusalError) return thrown.precondition;
  return thrown instanceof ApiError ? OF_CALLER[thrown.code] : undefined;
}

/**
 * Turns an error of a check without preconditions into a refusal by this one. Failures of the service, and errors
 * that no client sees, refuse nothing and stay as they are.
 */
export function toRefusal(precondition: Precondition, thrown: unknown): unknown {
  if (!(thrown instanceof ApiError) || thrown.status >= 500) return thrown;
  const { code, publicMessage: message, param, retryAfterSeconds, status, headers, overflow, cause } = thrown;
  return new RefusalError(precondition, code, {
    message,
    param,
    headers,
    overflow,
    cause,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...(code === 'invalid_request_error' ? { status: status as NonNullable<ApiErrorOptions['status']> } : {}),
  });
}

/** A hold that was not placed, for a reason that the client sees. */
type RefusedAdmission = Exclude<
  AdmissionResult,
  { outcome: 'admitted' | 'key_changed' | 'replay' | 'limit_policy' }
>;

/** The held amount, as in a quote. */
export type HeldNow = Pick<Quote, 'heldNano' | 'running' | 'runningNano'> & {
  day: Pick<Quote['day'], 'heldNano'>;
  keyMonth: Pick<Quote['keyMonth'], 'heldNano'>;
};

/** A refusal as the client's error; with the held amount, if that is known and theirs to know. */
export function toRefusalError(
  { showsAccountLimits }: Pick<ApiKeyIdentity, 'showsAccountLimits'>,
  result: RefusedAdmission,
  neededNano: NanoUsd,
  nowMs: number,
  held?: HeldNow,
): ApiError {
  const { code, precondition } = REFUSED[result.outcome];
  const refuse = (options?: ApiErrorOptions): ApiError =>
    precondition ? new RefusalError(precondition, code, options) : new ApiError(code, options);
  switch (result.outcome) {
    case 'insufficient_funds':
      return refuse({
        message: showsAccountLimits
          ? noRoom(neededNano, result.availableNano, 'are available', held && heldOfBalance(held))
          : noRoomInAccount(neededNano, 'balance'),
      });
    case 'daily_request_cap': {
      const opensAtMs = nextUtcDay(nowMs);
      const message = 'This account has made as many requests as its daily cap allows.';
      return refuse(untilItOpens(message, opensAtMs, nowMs));
    }
    case 'daily_spend_cap': {
      const opensAtMs = nextUtcDay(nowMs);
      const message = showsAccountLimits
        ? noRoom(
            neededNano,
            result.leftNano,
            "are left of this account's daily spending cap",
            heldOfLimit(held?.day.heldNano),
          )
        : noRoomInAccount(neededNano, 'daily spending cap');
      return refuse(untilItOpens(message, opensAtMs, nowMs));
    }
    case 'abandonment_cap': {
      const opensAtMs = nextUtcDay(nowMs);
      const message =
        'Too many requests of this account were left today before any of their response was delivered. Such requests ' +
        'are free, and their daily allowance is used up.';
      return refuse(untilItOpens(message, opensAtMs, nowMs));
    }
    case 'abandonment_at_risk': {
      const heldNano = held?.day.heldNano ?? ZERO_NANO;
      const message = showsAccountLimits
        ? noRoom(
            neededNano,
            result.leftNano,
            "are left of this account's daily allowance for requests that are left before any of their response is delivered",
            heldOfLimit(heldNano),
          )
        : noRoomInAccount(neededNano, 'allowance for requests that are left');
      // Running requests release their part as soon as they end. Otherwise there is no room before the next day. A
      // key that does not see the held amount could find it out by bisection.
      if (showsAccountLimits && held && neededNano > result.leftNano + heldNano) {
        const opensAtMs = nextUtcDay(nowMs);
        const never = 'What can cost more than the whole allowance does not fit on any day.';
        return refuse(untilItOpens(`${message} ${never}`, opensAtMs, nowMs));
      }
      return refuse({ message, retryAfterSeconds: 1 });
    }
    case 'key_month_limit': {
      const opensAtMs = nextUtcMonth(nowMs);
      const message = noRoom(
        neededNano,
        result.leftNano,
        "are left of this key's monthly spending limit",
        heldOfLimit(held?.keyMonth.heldNano),
      );
      return refuse(untilItOpens(message, opensAtMs, nowMs));
    }
    case 'lease_lapsed':
    case 'idempotency_in_progress':
      return refuse({ retryAfterSeconds: 1 });
    case 'key_not_live':
    case 'key_expired':
    case 'no_access':
    case 'idempotency_conflict':
      return refuse();
    case 'answer_withheld':
      return refuse({
        message:
          'This request was charged before, or its charge is under review, and its answer is not kept. It does not run ' +
          'again under this Idempotency-Key, and this answer is free.',
      });
  }
}

export const LESS_IS_NEEDED = 'A lower max_tokens lowers what is needed.';

function noRoom(neededNano: NanoUsd, leftNano: NanoUsd, areLeft: string, held = ''): string {
  return (
    `This request can cost up to ${toDecimalUsd(neededNano)} USD, and ${toDecimalUsd(leftNano)} USD ${areLeft}. ` +
    `${held}${LESS_IS_NEEDED}`
  );
}

/** For a key that does not show what the account has. */
function noRoomInAccount(neededNano: NanoUsd, limit: string): string {
  return (
    `This request can cost up to ${toDecimalUsd(neededNano)} USD, for which this account's ${limit} has no room. ` +
    LESS_IS_NEEDED
  );
}

/** The part of the balance that is held by running requests, which release what they do not cost, and by reviews. */
function heldOfBalance({ heldNano, running, runningNano }: HeldNow): string {
  const requests = running === 1 ? '1 running request' : `${String(running)} running requests`;
  const reviewedNano = toNanoUsd(heldNano > runningNano ? heldNano - runningNano : 0n);
  const parts = [
    ...(runningNano > 0n ? [`${toDecimalUsd(runningNano)} USD is held by ${requests}`] : []),
    ...(reviewedNano > 0n ? [`${toDecimalUsd(reviewedNano)} USD is reserved by reviews`] : []),
  ];
  return parts.length === 0 ? '' : `In addition, ${parts.join(', and ')}. `;
}

function heldOfLimit(heldNano: NanoUsd = ZERO_NANO): string {
  return heldNano > 0n ? `In addition, ${toDecimalUsd(heldNano)} USD is held by running requests. ` : '';
}

/** The smaller of these, the rest of the account's day, decides. */
const BY_ACCOUNT_DAY = new Set<Quote['outcome']>(['daily_spend_cap', 'abandonment_at_risk']);

/**
 * The refusal by a key's own month in place of one by the account's day, for a key that does not show the account's
 * limits. Otherwise a request for more than the key may spend would find out the rest of the day by bisection.
 */
export function refuseByKeyMonth(
  { showsAccountLimits }: Pick<ApiKeyIdentity, 'showsAccountLimits'>,
  outcome: Quote['outcome'],
  { mostNano, spentNano, heldNano }: SpendingLimit,
  neededNano: NanoUsd,
): { outcome: 'key_month_limit'; leftNano: NanoUsd } | undefined {
  if (showsAccountLimits || !BY_ACCOUNT_DAY.has(outcome) || mostNano === undefined) return undefined;
  const leftNano = leftOf(mostNano, toNanoUsd(spentNano + heldNano));
  return neededNano > leftNano ? { outcome: 'key_month_limit', leftNano } : undefined;
}

/** A limit that was lowered may already be exceeded. */
export function leftOf(mostNano: NanoUsd, usedNano: NanoUsd): NanoUsd {
  return toNanoUsd(mostNano > usedNano ? mostNano - usedNano : 0n);
}

/** Agents wait this long in silence: nobody would know that their limit has to be raised. */
const LONGEST_SILENT_WAIT_MS = MINUTE_MS;

/**
 * Retry delay for a limit that opens by itself at the end of a day or a month, and that a person may raise at any
 * time. The person, not the program, sees a longer wait: docs/adr/0023.
 */
export function untilItOpens(message: string, opensAtMs: number, nowMs: number): ApiErrorOptions {
  const waitMs = opensAtMs - nowMs;
  const at = new Date(opensAtMs).toISOString().replace('.000', '');
  if (waitMs <= LONGEST_SILENT_WAIT_MS)
    return { message: `${message} It opens again at ${at}.`, retryAfterSeconds: waitMs / SECOND_MS };
  // Qwen Code and pi retry any other 429, whatever its headers say.
  return { message: `${message} Quota exceeded: it will reset at ${at}.`, retryable: false };
}

export function nextUtcDay(nowMs: number): number {
  return nowMs - (nowMs % DAY_MS) + DAY_MS;
}

export function nextUtcMonth(nowMs: number): number {
  const now = new Date(nowMs);
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1);
}

/** The client's error if the database cannot be asked now. Unexpected errors are rethrown. */
export function toStoreError(cause: unknown): unknown {
  return cause instanceof LedgerUnavailableError || cause instanceof HoldLostError || isRetryable(cause)
    ? new ApiError('service_unavailable', { retryAfterSeconds: 1, cause })
    : cause;
}

/** Nothing was delivered or charged: it is as if the request had never been sent. */
export function holdLostError(cause = new HoldLostError()): ApiError {
  return new ApiError('service_unavailable', { retryAfterSeconds: 1, cause });
}
