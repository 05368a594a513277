import { toPublicId } from '@farebox/auth';
import type { Route, TokenUsage } from '@farebox/catalog';
import { ApiError, toApiError } from '@farebox/errors';
import {
  ChargeHandedOverError,
  HoldLostError,
  type Abandonment,
  type AnswerCipher,
  type GatewayLedger,
  type IdempotencyClaim,
  type Usage,
} from '@farebox/ledger';
import { byTokenColumn, toNanoUsd, type NanoUsd } from '@farebox/money';
import { inSpan, type Logger, type Span } from '@farebox/observability';
import { holdLostError, toStoreError } from '../refusals';
import type { Caller } from '../identity/api-keys';
import { StopSwitch } from '../stop-switch';
import { type ChargeMeter, areSame, costOfTokens, toUsage, type Charge } from './charged-usage';
import { keepAnswer, type AnswerToKeep } from './kept-answers';
import type { PaidPlan, Hold, TracedCall } from './terms';

export interface HoldRequest {
  holdId: string;
  requestId: string;
  startedAtMs: number;
  streamed: boolean;
  idempotency: IdempotencyClaim | undefined;
  /** Whether later requests may name the items of its response, if it is not kept for a repetition. */
  keepsItems: boolean;
  span: Span;
}

export interface HoldDeps {
  ledger: GatewayLedger;
  answers: AnswerCipher;
  /** A longer response is sent and charged, but not kept. */
  keptBytesPerAnswer: number;
  charges: ChargeMeter;
  log: Logger;
  /** The same monotonic clock as `startedAtMs`. */
  now: () => number;
}

/** A hold that the ledger has placed for a plan. Its end is measured and traced. */
export class PlacedHold implements Hold {
  readonly lost = new StopSwitch();
  readonly barred = new StopSwitch();
  readonly #deps: HoldDeps;
  readonly #accountId: string;
  readonly #plan: PaidPlan;
  readonly #request: HoldRequest;
  #isOpen = true;
  #isReleased = false;
  #durable: Promise<void> | undefined;
  #route: Route | undefined;
  #call: TracedCall | undefined;
  #askedAtMs: number | undefined;
  /** The last price: the customer sees the cost of the tokens and is then charged the same. */
  #priced: { tokens: TokenUsage; costNano: NanoUsd } | undefined;

  constructor(deps: HoldDeps, { accountId }: Caller, plan: PaidPlan, request: HoldRequest) {
    this.#deps = deps;
    this.#accountId = accountId;
    this.#plan = plan;
    this.#request = request;
    deps.ledger.onHoldLost(request.holdId, () => {
      this.lost.abort();
    });
    deps.ledger.onAccountBarred(request.holdId, this.barred);
    // The first part of a stream must not wait for the disk, which has all the time until then. A whole response
    // waits with its charge, which would have to wait twice if this were already running.
    if (request.streamed) {
      this.#durable = this.#whenDurable();
      this.#durable.catch(() => undefined);
    }
  }

  get id(): string {
    return this.#request.holdId;
  }

  get longestKept(): number | undefined {
    return this.#keepsAnswer ? this.#deps.keptBytesPerAnswer : undefined;
  }

  get keepsItems(): boolean {
    return this.#request.keepsItems && !this.#keepsAnswer;
  }

  isOpen(): boolean {
    return this.#isOpen;
  }

  wasReleased(): boolean {
    return this.#isReleased;
  }

  durable(): Promise<void> | undefined {
    return this.#durable;
  }

  asked(route: Route, call: TracedCall): void {
    this.#route = route;
    this.#call = call;
    this.#askedAtMs = this.#deps.now();
  }

  askedForMs(): number | undefined {
    return this.#askedAtMs === undefined ? undefined : this.#deps.now() - this.#askedAtMs;
  }

  costOf(usage: TokenUsage): NanoUsd {
    return this.#atMostHeld(this.#measure(usage));
  }

  charge(charge: Charge, toAnswer: () => AnswerToKeep | undefined): Promise<NanoUsd> {
    const { charges } = this.#deps;
    const charged = async (settling: Span): Promise<NanoUsd> => {
      settling.set({
        'farebox.outcome': charge.outcome,
        'farebox.first_token_ms': charge.firstTokenMs,
      });
      this.#call?.close({
        'gen_ai.request.stream': this.#request.streamed,
        'gen_ai.response.finish_reasons': charge.finishReasons,
        'gen_ai.usage.input_tokens': charge.promptTokens,
        'gen_ai.usage.output_tokens': charge.completionTokens,
        'gen_ai.usage.cache_read.input_tokens': charge.cachedTokens,
        'gen_ai.usage.cache_creation.input_tokens': charge.cacheWriteTokens,
      });
      try {
        const costNano = await this.#charge(charge, toAnswer);
        charges.recorded(this.#plan.model.id, charge, costNano);
        return costNano;
      } catch (error) {
        if (!this.#isReleased) charges.unrecorded();
        throw error;
      }
    };
    return inSpan(this.#request.span, 'settle', charged, (thrown) => toApiError(thrown).code);
  }

  release(): Promise<void> {
    return this.#release('released');
  }

  abandon(spent: TokenUsage): Promise<void> {
    const costNano = this.#costOfRoute(spent);
    this.#deps.charges.abandoned(this.#plan.model.id, costNano);
    return this.#release('abandoned', { costNano, ...(this.#route && { route: this.#route }) });
  }

  async noteUnpaid(worked: TokenUsage, charged: TokenUsage): Promise<void> {
    const unpaidNano = this.#costOfRoute(worked) - this.#costOfRoute(charged);
    if (unpaidNano <= 0n) return;
    this.#deps.charges.abandoned(this.#plan.model.id, toNanoUsd(unpaidNano));
    try {
      await this.#deps.ledger.countUnpaid(this.id, toNanoUsd(unpaidNano));
    } catch (error) {
      this.#deps.log.error(
        { event: 'unpaid_uncounted', ...this.#ids, error },
        'what a left stream cost was not counted',
      );
    }
  }

  #release(outcome: 'released' | 'abandoned', abandoned?: Abandonment): Promise<void> {
    const released = async (settling: Span): Promise<void> => {
      settling.set({ 'farebox.outcome': outcome });
      this.#call?.close();
      this.#isOpen = false;
      this.#isReleased = true;
      try {
        await this.#deps.ledger.settle({ ...this.#owner, ...(abandoned && { abandoned }) });
      } catch (error) {
        this.#deps.log.error({ event: 'release_failed', ...this.#ids, error }, 'a hold was not released');
      }
    };
    return inSpan(this.#request.span, 'settle', released, () => 'internal_error');
  }

  async refund(): Promise<void> {
    try {
      await this.#deps.ledger.refund(this.id, { unlessKept: this.#keepsAnswer });
    } catch (error) {
      this.#deps.log.error({ event: 'refund_failed', ...this.#ids, error }, 'a charge was not refunded');
    }
  }

  async #charge(charge: Charge, toAnswer: () => AnswerToKeep | undefined): Promise<NanoUsd> {
    const { ledger, log, now } = this.#deps;
    const { model, images } = this.#plan;
    const costNano = this.#measure(charge);
    const isKept = this.#keepsAnswer || this.keepsItems;
    const answer = isKept ? await keepAnswer(this.#deps, this.#owner, toAnswer()) : undefined;
    const usage = toUsage(charge, {
      measuredCostNano: costNano,
      images,
      route: this.#route,
      streamed: this.#request.streamed,
      latencyMs: Math.round(now() - this.#request.startedAtMs),
      answer,
    });
    if (usage.isReportImplausible)
      log.warn(
        { event: 'usage_implausible', ...this.#ids, model: model.id },
        'an upstream reported usage that cannot be true',
      );
    let cause: unknown;
    this.#isOpen = false;
    try {
      if ((await ledger.settle({ ...this.#owner, usage })) === 'resolved') return this.#atMostHeld(costNano);
      cause = new Error('the hold had been resolved before');
    } catch (error) {
      cause = error;
    }
    if (cause instanceof HoldLostError) {
      this.#isReleased = true;
      log.warn({ event: 'hold_lost', ...this.#ids }, 'the database has lost a hold');
      throw holdLostError(cause);
    }
    const ids = { ...this.#ids, account_id: toPublicId('acct', this.#accountId), model: model.id };
    logFailedCharge(log, ids, usage, cause);
    throw new ApiError('billing_error', { cause });
  }

  async #whenDurable(): Promise<void> {
    try {
      await this.#deps.ledger.holdDurable(this.id);
      this.#durable = undefined;
    } catch (cause) {
      throw toStoreError(cause);
    }
  }

  #measure(tokens: TokenUsage): NanoUsd {
    if (!this.#priced || !areSame(this.#priced.tokens, tokens))
      this.#priced = { tokens, costNano: costOfTokens(this.#plan.model.price, tokens, this.#plan.images) };
    return this.#priced.costNano;
  }

  /** The operator's cost of tokens, or their price if the catalogue has none, up to the hold. */
  #costOfRoute(tokens: TokenUsage): NanoUsd {
    const { model, images } = this.#plan;
    return this.#atMostHeld(costOfTokens(this.#route?.cost ?? model.price, tokens, images));
  }

  #atMostHeld(costNano: NanoUsd): NanoUsd {
    const { maximumCostNano } = this.#plan;
    return costNano < maximumCostNano ? costNano : maximumCostNano;
  }

  get #keepsAnswer(): boolean {
    return this.#request.idempotency !== undefined;
  }

  get #owner(): { holdId: string; accountId: string } {
    return { holdId: this.id, accountId: this.#accountId };
  }

  /** Fields of its log lines. */
  get #ids(): { request_id: string; hold_id: string } {
    return { request_id: this.#request.requestId, hold_id: this.id };
  }
}

/**
 * Logs where a failed charge is now: handed over, so that it becomes a review, or only in this line and in this
 * process's memory. In the second case the line has the whole measured usage.
 */
function logFailedCharge(log: Logger, ids: Record<string, string>, usage: Usage, error: unknown): void {
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
    ...byTokenColumn((kind) => usage[kind]),
    images: usage.images,
    outcome: usage.outcome,
    stream: usage.streamed,
    estimated: usage.estimated,
    duration_ms: usage.latencyMs,
    first_token_ms: usage.firstTokenMs,
  };
  log.error({ event: 'charge_unrecorded', ...ids, ...measured, error }, 'a charge could not be recorded');
}
