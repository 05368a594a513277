import { costOf, type TokenUsage } from '@farebox/catalog';
import { isRetryable } from '@farebox/database';
import { ApiError } from '@farebox/errors';
import {
  LedgerUnavailableError,
  type AdmissionResult,
  type AnswerCipher,
  type GatewayLedger,
  type IdempotencyClaim,
  type UsageOutcome,
} from '@farebox/ledger';
import type { NanoUsd } from '@farebox/money';
import type { Logger, Span } from '@farebox/observability';
import type { Caller } from '../identity/caller';
import type { ChargeMeter } from '../telemetry/charge-meter';
import { keepAnswer } from './keep-answer';
import type { KeptAnswer } from './kept-answer';
import { logFailedCharge } from './log-failed-charge';
import { observedHold } from './observed-hold';
import type { CompletionPlan } from './plan-completion';
import { toRefusalError } from './refusal-error';

/** What is charged: tokens, and how they came about. */
export interface Charge extends TokenUsage {
  outcome: UsageOutcome;
  estimated: boolean;
  /** The upstream reported something that cannot be what was used. */
  isReportImplausible?: boolean;
  firstTokenMs?: number | undefined;
}

/**
 * Money reserved for one request. Exactly one of `charge` and `release` ends it. It belongs to the scope that `withHold`
 * makes, which ends it if nothing else did.
 */
export interface Hold {
  readonly id: string;
  /** Whether nobody has charged or released it yet. From then on the ledger sees to it, whatever happens. */
  isOpen(): boolean;
  /** In bytes, where the request has an Idempotency-Key: up to this length, whoever repeats it is given its answer. */
  readonly longestKept: number | undefined;
  /** What tokens cost: never more than is held. */
  costOf(usage: TokenUsage): NanoUsd;
  /**
   * Takes what the tokens cost. `toAnswer` is asked where the answer is to be kept; it answers nothing where it is too
   * long for that. Throws `billing_error` where the charge could not be recorded.
   */
  charge(charge: Charge, toAnswer: () => KeptAnswer | undefined): Promise<void>;
  /** Gives everything back. Does not throw: what cannot be released now is swept later. */
  release(): Promise<void>;
  /** Gives a charge back that was recorded for an answer that was not written, unless it is kept. Does not throw. */
  refund(): Promise<void>;
}

export interface HoldRequest {
  holdId: string;
  requestId: string;
  startedAtMs: number;
  streamed: boolean;
  idempotency: IdempotencyClaim | undefined;
  span: Span;
}

export interface HoldDeps {
  ledger: GatewayLedger;
  answers: AnswerCipher;
  /** A longer answer is given and charged, and not kept. */
  keptBytesPerAnswer: number;
  charges: ChargeMeter;
  log: Logger;
  /** Of the clock of `startedAtMs`, which is never set back. */
  now: () => number;
}

export type Placement =
  | { outcome: 'placed'; hold: Hold }
  /** The caller's key was changed since it was identified: it must be identified again. */
  | { outcome: 'key_changed' }
  /** There is no room for what the plan may cost; for a smaller cost there may be. */
  | { outcome: 'no_room'; error: ApiError; availableNano: NanoUsd | undefined }
  /** The request was charged before; its answer is kept under the hold that it had then. */
  | { outcome: 'replay'; holdId: string };

/** Places a hold over the maximum cost of a plan. Throws what any other refusal means to the client. */
export async function placeHold(
  deps: HoldDeps,
  caller: Caller,
  plan: CompletionPlan,
  request: HoldRequest,
): Promise<Placement> {
  const { ledger } = deps;
  let result: AdmissionResult;
  try {
    result = await ledger.admit({
      holdId: request.holdId,
      accountId: caller.accountId,
      apiKeyId: caller.apiKeyId,
      apiKeyVersion: caller.version,
      cohortName: caller.cohortName,
      amountNano: plan.maximumCostNano,
      modelId: plan.model.id,
      priceVersionId: plan.model.price.id,
      requestId: request.requestId,
      idempotency: request.idempotency,
    });
  } catch (cause) {
    throw toLedgerError(cause);
  }
  if (result.outcome === 'admitted') {
    const observation = { charges: deps.charges, modelId: plan.model.id, span: request.span };
    return { outcome: 'placed', hold: observedHold(createHold(deps, caller, plan, request), observation) };
  }
  if (result.outcome === 'key_changed' || result.outcome === 'replay') return result;
  const error = toRefusalError(result, plan.maximumCostNano, Date.now());
  if (result.outcome === 'insufficient_funds')
    return { outcome: 'no_room', error, availableNano: result.availableNano };
  if (result.outcome === 'daily_spend_cap' || result.outcome === 'key_month_limit')
    return { outcome: 'no_room', error, availableNano: undefined };
  throw error;
}

/** What is told of the ledger if it cannot be asked now. What nobody expected of it is thrown on as it is. */
export function toLedgerError(cause: unknown): unknown {
  return cause instanceof LedgerUnavailableError || isRetryable(cause)
    ? new ApiError('service_unavailable', { retryAfterSeconds: 1, cause })
    : cause;
}

/**
 * Runs what a hold was placed for. However that ends, the hold is not left open: what neither charged nor released it
 * delivered nothing that it could tell the price of.
 */
export async function withHold(hold: Hold, use: (hold: Hold) => Promise<void>): Promise<void> {
  try {
    await use(hold);
  } finally {
    if (hold.isOpen()) await hold.release();
  }
}

function createHold(deps: HoldDeps, caller: Caller, plan: CompletionPlan, request: HoldRequest): Hold {
  const { ledger, log, now } = deps;
  const { holdId, requestId } = request;
  const { accountId } = caller;
  const { model, maximumCostNano } = plan;
  const keepsAnswer = request.idempotency !== undefined;
  let isOpen = true;

  return {
    id: holdId,
    longestKept: keepsAnswer ? deps.keptBytesPerAnswer : undefined,
    isOpen: () => isOpen,
    costOf(tokens) {
      const costNano = costOf(model.price, tokens);
      return costNano < maximumCostNano ? costNano : maximumCostNano;
    },
    async charge(charge, toAnswer) {
      const { promptTokens, completionTokens, outcome, estimated, firstTokenMs } = charge;
      const costNano = costOf(model.price, charge);
      const answer = keepsAnswer ? await keepAnswer(deps, { holdId, accountId }, toAnswer()) : undefined;
      const usage = {
        measuredCostNano: costNano,
        promptTokens,
        completionTokens,
        outcome,
        streamed: request.streamed,
        estimated,
        isReportImplausible: charge.isReportImplausible ?? false,
        latencyMs: Math.round(now() - request.startedAtMs),
        ...(firstTokenMs === undefined ? {} : { firstTokenMs }),
        ...(answer === undefined ? {} : { answer }),
      };
      if (charge.isReportImplausible)
        log.warn(
          { event: 'usage_implausible', request_id: requestId, hold_id: holdId, model: model.id },
          'an upstream reported usage that cannot be true',
        );
      let cause: unknown;
      isOpen = false;
      try {
        if ((await ledger.settle({ holdId, accountId, usage })) === 'resolved') return;
        cause = new Error('the hold had been resolved before');
      } catch (error) {
        cause = error;
      }
      logFailedCharge(log, { requestId, holdId, accountId, modelId: model.id }, usage, cause);
      throw new ApiError('billing_error', { cause });
    },
    async release() {
      isOpen = false;
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
        await ledger.refund(holdId, { unlessKept: keepsAnswer });
      } catch (error) {
        log.error(
          { event: 'refund_failed', request_id: requestId, hold_id: holdId, error },
          'a charge was not refunded',
        );
      }
    },
  };
}
