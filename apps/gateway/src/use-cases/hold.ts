import { costOf, type TokenUsage } from '@farebox/catalog';
import { ApiError } from '@farebox/errors';
import {
  ERROR_OF_REFUSAL,
  type AdmissionResult,
  type GatewayLedger,
  type UsageOutcome,
} from '@farebox/ledger';
import { toDecimalUsd, type NanoUsd } from '@farebox/money';
import type { Logger } from '@farebox/observability';
import type { Caller } from '../identity/caller';
import type { CompletionPlan } from './plan-completion';

/** What is charged: tokens, and how they came about. */
export interface Charge extends TokenUsage {
  outcome: UsageOutcome;
  estimated: boolean;
  firstTokenMs?: number | undefined;
}

/** Money reserved for one request. Exactly one of `charge` and `release` ends it. */
export interface Hold {
  readonly id: string;
  /** Takes what the tokens cost and answers with it. Throws `billing_error` where that could not be recorded. */
  charge(charge: Charge): Promise<NanoUsd>;
  /** Gives everything back. Does not throw: what cannot be released now is swept later. */
  release(): Promise<void>;
  /** Gives a charge back that was recorded for an answer that was not written. Does not throw. */
  refund(): Promise<void>;
}

export interface HoldRequest {
  holdId: string;
  requestId: string;
  startedAtMs: number;
  streamed: boolean;
}

export interface HoldDeps {
  ledger: GatewayLedger;
  log: Logger;
  now: () => number;
}

/** The caller's key was changed since it was identified: it must be identified again. */
export const KEY_CHANGED = Symbol('key changed');

/** Places a hold over the maximum cost of a plan. Throws what the refusal means to the client. */
export async function placeHold(
  deps: HoldDeps,
  caller: Caller,
  plan: CompletionPlan,
  request: HoldRequest,
): Promise<Hold | typeof KEY_CHANGED> {
  const { ledger, now } = deps;
  let result: AdmissionResult;
  try {
    result = await ledger.admit({
      holdId: request.holdId,
      accountId: caller.accountId,
      apiKeyId: caller.apiKeyId,
      apiKeyVersion: caller.version,
      amountNano: plan.maximumCostNano,
      modelId: plan.model.id,
      priceVersionId: plan.model.price.id,
      requestId: request.requestId,
    });
  } catch (cause) {
    throw new ApiError('service_unavailable', { retryAfterSeconds: 1, cause });
  }
  if (result.outcome === 'admitted') return createHold(deps, caller, plan, request);
  if (result.outcome === 'key_changed') return KEY_CHANGED;
  throw toRefusalError(result, plan.maximumCostNano, now());
}

function toRefusalError(
  result: Exclude<AdmissionResult, { outcome: 'admitted' } | { outcome: 'key_changed' }>,
  neededNano: NanoUsd,
  nowMs: number,
): ApiError {
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
      return new ApiError(code, { retryAfterSeconds: 1 });
    case 'key_not_live':
    case 'key_expired':
    case 'no_access':
    case 'key_month_limit':
      return new ApiError(code);
  }
}

const DAY_MS = 86_400_000;

function secondsToUtcMidnight(nowMs: number): number {
  return (DAY_MS - (nowMs % DAY_MS)) / 1_000;
}

function createHold(
  { ledger, log, now }: HoldDeps,
  caller: Caller,
  plan: CompletionPlan,
  request: HoldRequest,
): Hold {
  const { holdId, requestId } = request;
  const { accountId } = caller;
  const { model, maximumCostNano } = plan;

  return {
    id: holdId,
    async charge(charge) {
      const { promptTokens, completionTokens, outcome, estimated, firstTokenMs } = charge;
      const costNano = costOf(model.price, charge);
      const usage = {
        measuredCostNano: costNano,
        promptTokens,
        completionTokens,
        outcome,
        streamed: request.streamed,
        estimated,
        latencyMs: now() - request.startedAtMs,
        ...(firstTokenMs === undefined ? {} : { firstTokenMs }),
      };
      let cause: unknown;
      try {
        if ((await ledger.settle({ holdId, accountId, usage })) === 'resolved') {
          return costNano < maximumCostNano ? costNano : maximumCostNano;
        }
        cause = new Error('the hold had been resolved before');
      } catch (error) {
        cause = error;
      }
      const counted = {
        prompt_tokens: promptTokens,
        completion_tokens: completionTokens,
        estimated,
        outcome,
      };
      const ids = { request_id: requestId, hold_id: holdId, account_id: accountId, model: model.id };
      log.error(
        { event: 'charge_unrecorded', ...ids, ...counted, amount_nano: costNano, error: cause },
        'a charge could not be recorded',
      );
      throw new ApiError('billing_error', { cause });
    },
    async release() {
      try {
        await ledger.settle({ holdId, accountId });
      } catch (error) {
        log.error(
          { event: 'release_failed', request_id: requestId, hold_id: holdId, error },
          'a hold was not released',
        );
      }
    },
    async refund() {
      try {
        await ledger.refund(holdId);
      } catch (error) {
        log.error(
          { event: 'refund_failed', request_id: requestId, hold_id: holdId, error },
          'a charge was not refunded',
        );
      }
    },
  };
}
