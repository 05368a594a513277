import { costOf, type PricedUsage, type Route, type TokenUsage } from '@farebox/catalog';
import { ApiError, toApiError, type UsageOutcome } from '@farebox/errors';
import {
  ChargeHandedOverError,
  HoldLostError,
  type AnswerCipher,
  type GatewayLedger,
  type IdempotencyClaim,
  type Usage,
  type UsageRoute,
} from '@farebox/ledger';
import type { NanoUsd } from '@farebox/money';
import { inSpan, type Logger, type Span } from '@farebox/observability';
import { holdLostError, toStoreError } from '../refusals';
import type { Caller } from '../identity/api-keys';
import type { ChargeMeter } from '../telemetry/meters';
import { StopSwitch, type StopSignal } from './completion';
import { keepAnswer, type AnswerToKeep } from './kept-answers';
import type { PaidPlan } from './paid-request';

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
  /** Whether it ended without a charge: none was recorded, and none will be. */
  wasReleased(): boolean;
  /** Aborted if the database has lost it in a crash: nothing can be charged, so that nothing may be delivered. */
  readonly lost: StopSignal;
  /**
   * A hold is in force before it is on the disk, so that the upstream can be asked at once. Nothing may be delivered before
   * this resolves; undefined if it is durable already. After a charge it need not be asked. Throws `service_unavailable`:
   * the request may be repeated.
   */
  durable(): Promise<void> | undefined;
  /** In bytes, if the request has an Idempotency-Key: up to this length, whoever repeats it is given its answer. */
  readonly longestKept: number | undefined;
  /** Which route is asked now: the last one before a charge is the one that answered, and its cost is noted. */
  askedAt(route: Route): void;
  /** What tokens cost: never more than is held. */
  costOf(usage: TokenUsage): NanoUsd;
  /**
   * Takes what the tokens cost, and answers with it. `toAnswer` is asked if the answer is to be kept; it answers nothing if
   * it is too long for that. Throws `billing_error` if the charge could not be recorded, and `service_unavailable` if the
   * database had lost the hold.
   */
  charge(charge: Charge, toAnswer: () => AnswerToKeep | undefined): Promise<NanoUsd>;
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

/** The hold that the ledger has placed for a plan. Its end is measured and traced. */
export function createHold(deps: HoldDeps, caller: Caller, plan: PaidPlan, request: HoldRequest): Hold {
  const observation = { charges: deps.charges, modelId: plan.model.id, span: request.span };
  return observedHold(ledgerHold(deps, caller, plan, request), observation);
}

function ledgerHold(deps: HoldDeps, caller: Caller, plan: PaidPlan, request: HoldRequest): Hold {
  const { ledger, log, now } = deps;
  const { holdId, requestId } = request;
  const { accountId } = caller;
  const { model, maximumCostNano } = plan;
  /** What was priced last: the customer is told what tokens cost, and then charged for the same. */
  let priced: { tokens: TokenUsage; costNano: NanoUsd } | undefined;
  const measure = (tokens: TokenUsage): NanoUsd => {
    if (!priced || !areSame(priced.tokens, tokens))
      priced = { tokens, costNano: costOf(model.price, withImages(tokens, plan.images)) };
    return priced.costNano;
  };
  const atMostHeld = (costNano: NanoUsd): NanoUsd =>
    costNano < maximumCostNano ? costNano : maximumCostNano;
  const keepsAnswer = request.idempotency !== undefined;
  let isOpen = true;
  let isReleased = false;
  let route: Route | undefined;
  const lost = new StopSwitch();
  ledger.onHoldLost(holdId, () => {
    lost.abort();
  });
  const whenDurable = async (): Promise<void> => {
    try {
      await ledger.holdDurable(holdId);
      durable = undefined;
    } catch (cause) {
      throw toStoreError(cause);
    }
  };
  let durable: Promise<void> | undefined;
  // The first part of a stream is not to wait for the disk: it has all the time until then. A response in one piece waits
  // with its charge, which would have to wait twice if this were under way.
  if (request.streamed) {
    durable = whenDurable();
    durable.catch(() => undefined);
  }

  return {
    id: holdId,
    lost,
    durable: () => durable,
    longestKept: keepsAnswer ? deps.keptBytesPerAnswer : undefined,
    isOpen: () => isOpen,
    wasReleased: () => isReleased,
    askedAt(asked) {
      route = asked;
    },
    costOf: (tokens) => atMostHeld(measure(tokens)),
    async charge(charge, toAnswer) {
      const { promptTokens, completionTokens, outcome, estimated, firstTokenMs } = charge;
      const costNano = measure(charge);
      const answer = keepsAnswer ? await keepAnswer(deps, { holdId, accountId }, toAnswer()) : undefined;
      const usage: Usage = {
        measuredCostNano: costNano,
        promptTokens,
        completionTokens,
        outcome,
        streamed: request.streamed,
        estimated,
        isReportImplausible: charge.isReportImplausible ?? false,
        latencyMs: Math.round(now() - request.startedAtMs),
        answer,
      };
      noteKinds(usage, charge, plan.images);
      if (route) usage.route = toUsageRoute(route, charge, plan.images);
      if (firstTokenMs !== undefined) usage.firstTokenMs = firstTokenMs;
      if (charge.isReportImplausible)
        log.warn(
          { event: 'usage_implausible', request_id: requestId, hold_id: holdId, model: model.id },
          'an upstream reported usage that cannot be true',
        );
      let cause: unknown;
      isOpen = false;
      try {
        if ((await ledger.settle({ holdId, accountId, usage })) === 'resolved') return atMostHeld(costNano);
        cause = new Error('the hold had been resolved before');
      } catch (error) {
        cause = error;
      }
      if (cause instanceof HoldLostError) {
        isReleased = true;
        log.warn(
          { event: 'hold_lost', request_id: requestId, hold_id: holdId },
          'the database has lost a hold',
        );
        throw holdLostError(cause);
      }
      logFailedCharge(log, { requestId, holdId, accountId, modelId: model.id }, usage, cause);
      throw new ApiError('billing_error', { cause });
    },
    async release() {
      isOpen = false;
      isReleased = true;
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

function toUsageRoute(
  { upstreamId, upstreamModel, cost }: Route,
  tokens: TokenUsage,
  images: number | undefined,
): UsageRoute {
  return cost
    ? { upstreamId, upstreamModel, costNano: costOf(cost, withImages(tokens, images)) }
    : { upstreamId, upstreamModel };
}

function withImages(
  { promptTokens, completionTokens, cachedTokens, cacheWriteTokens, reasoningTokens }: TokenUsage,
  images: number | undefined,
): PricedUsage & Record<keyof TokenUsage, unknown> {
  return { promptTokens, completionTokens, cachedTokens, cacheWriteTokens, reasoningTokens, images };
}

/** Notes of what kinds the tokens are, as far as the upstream told, and how many images there were. */
function noteKinds(
  usage: Usage,
  { cachedTokens, cacheWriteTokens, reasoningTokens }: TokenUsage,
  images = 0,
): void {
  if (cachedTokens !== undefined) usage.cachedTokens = cachedTokens;
  if (cacheWriteTokens !== undefined) usage.cacheWriteTokens = cacheWriteTokens;
  if (reasoningTokens !== undefined) usage.reasoningTokens = reasoningTokens;
  if (images > 0) usage.images = images;
}

/** Every kind of token: one that is added to `TokenUsage` must be added here. */
const TOKEN_KINDS = Object.keys({
  promptTokens: true,
  completionTokens: true,
  cachedTokens: true,
  cacheWriteTokens: true,
  reasoningTokens: true,
} satisfies Record<keyof TokenUsage, true>) as (keyof TokenUsage)[];

function areSame(one: TokenUsage, other: TokenUsage): boolean {
  return TOKEN_KINDS.every((kind) => one[kind] === other[kind]);
}

interface HoldObservation {
  charges: ChargeMeter;
  modelId: string;
  /** Of the request. */
  span: Span;
}

/** A hold whose end is measured and traced. */
function observedHold(hold: Hold, { charges, modelId, span }: HoldObservation): Hold {
  return {
    id: hold.id,
    lost: hold.lost,
    durable: () => hold.durable(),
    longestKept: hold.longestKept,
    isOpen: () => hold.isOpen(),
    wasReleased: () => hold.wasReleased(),
    askedAt: (route) => {
      hold.askedAt(route);
    },
    costOf: (usage) => hold.costOf(usage),
    refund: () => hold.refund(),
    charge: (charge, toAnswer) =>
      inSpan(
        span,
        'settle',
        async (settling) => {
          const { promptTokens, completionTokens, outcome, firstTokenMs } = charge;
          settling.set({
            'farebox.outcome': outcome,
            'farebox.prompt_tokens': promptTokens,
            'farebox.completion_tokens': completionTokens,
            'farebox.first_token_ms': firstTokenMs,
          });
          try {
            const costNano = await hold.charge(charge, toAnswer);
            charges.recorded(modelId, charge, costNano);
            return costNano;
          } catch (error) {
            if (!hold.wasReleased()) charges.unrecorded();
            throw error;
          }
        },
        (thrown) => toApiError(thrown).code,
      ),
    release: () =>
      inSpan(
        span,
        'settle',
        async (settling) => {
          settling.set({ 'farebox.outcome': 'released' });
          await hold.release();
        },
        () => 'internal_error',
      ),
  };
}

/** Whose charge it is. */
interface FailedChargeIds {
  requestId: string;
  holdId: string;
  accountId: string;
  modelId: string;
}

/**
 * Says of a charge that failed where it is now: handed over, so that a review comes of it, or nowhere but in this line
 * and in this process's memory. Then the line has all that was measured.
 */
function logFailedCharge(
  log: Logger,
  { requestId, holdId, accountId, modelId }: FailedChargeIds,
  usage: Usage,
  error: unknown,
): void {
  const ids = { request_id: requestId, hold_id: holdId, account_id: accountId, model: modelId };
  if (error instanceof ChargeHandedOverError) {
    log.warn(
      { event: 'charge_handed_over', ...ids, amount_nano: usage.measuredCostNano, error },
      'a charge could not be recorded and waits for its review',
    );
    return;
  }
  const measured = {
    amount_nano: usage.measuredCostNano,
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    cached_tokens: usage.cachedTokens,
    cache_write_tokens: usage.cacheWriteTokens,
    reasoning_tokens: usage.reasoningTokens,
    images: usage.images,
    outcome: usage.outcome,
    stream: usage.streamed,
    estimated: usage.estimated,
    duration_ms: usage.latencyMs,
    first_token_ms: usage.firstTokenMs,
  };
  log.error({ event: 'charge_unrecorded', ...ids, ...measured, error }, 'a charge could not be recorded');
}
