import type { Model, Route, TokenUsage } from '@farebox/catalog';
import type { IdempotencyClaim } from '@farebox/ledger';
import type { NanoUsd } from '@farebox/money';
import type { Span } from '@farebox/observability';
import type { ServedCatalog } from '../upstream/live-catalog';
import type { Caller } from '../identity/api-keys';
import type { Permit } from '../limiter/request-limits';
import type { RouteTarget } from '../upstream/failed-calls';
import type { StopSignal } from '../stop-switch';
import type { RequestProgress } from './request-progress';
import type { Charge } from './charged-usage';
import type { AnswerToKeep, KeptAnswer } from './kept-answers';

/** What is decided about every paid request before money is asked for. */
export interface PaidPlan {
  model: Model;
  targets: RouteTarget[];
  maximumCostNano: NanoUsd;
  /** Of the prompt: they may have a price. */
  images?: number;
  /** What is left out, by its name. */
  ignoredFields: readonly string[];
}

/** How the requests to one endpoint are planned. */
export interface Planner<Plan extends PaidPlan> {
  /** Plans by what is cheap to know. Throws `model_not_found`, `model_not_allowed` or `invalid_request_error`. */
  plan(catalog: ServedCatalog, caller: Caller): Plan;
  /** The lowest maximum cost that any count of the prompt could give. */
  leastCost(plan: Plan): NanoUsd;
  /** The same plan by a count of the prompt, which costs less; undefined if it cannot be counted. */
  byCount(plan: Plan, accountId: string): Promise<Plan | undefined>;
}

/** A request that costs money, whatever it asks for. */
export interface PaidRequest {
  /** Of this request alone: its hold and its charge have it. */
  id: string;
  requestId: string;
  startedAtMs: number;
  caller: Caller;
  /** Asked for when its head had come. Rejects with the limiter's refusal. */
  permit: Promise<Permit>;
  /** Whether the permit takes time, and is as good as sure: what comes after it may be begun beside it. */
  isPermitSure: boolean;
  /** Identifies the caller again if their key has changed. Throws if it is no longer live. */
  identifyAgain(): Promise<Caller>;
  /** What makes it repeatable, if the client wants that. */
  idempotency: IdempotencyClaim | undefined;
  /** Whether later requests may name the items of its response. */
  keepsItems?: boolean;
  span: Span;
  /** Is told of the hold, or that there is none since the request was charged before. */
  progress: RequestProgress;
}

/** The customer's end of a paid request. */
export interface PaidClient {
  /** Aborted when the customer has gone before the response was written. */
  readonly gone: StopSignal;
  /** Headers of the response that are known before it; in place of one of the same name that was announced before. */
  announce(headers: readonly (readonly [name: string, value: string])[]): void;
  /**
   * Sends a response in one piece, and resolves when it is written or the customer has gone: whether their connection has taken
   * the beginning of it. They may have read anything from there on.
   */
  sendWhole(json: string | readonly Buffer[]): Promise<boolean>;
  /** The items of the whole response that later requests may name: nothing is added to them any more. */
  keptItems?(): readonly object[] | undefined;
}

/**
 * Money reserved for one request. Exactly one of `charge`, `release` and `abandon` ends it. It belongs to the scope that
 * `withHold` makes, which ends it if nothing else did.
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
  /** Whether in place of that its items are kept, for later requests to name. */
  readonly keepsItems: boolean;
  /** Which route is asked now: the last one before a charge is the one that answered, and its cost is noted. */
  askedAt(route: Route): void;
  /** How long ago that route was asked; undefined if none was. */
  askedForMs(): number | undefined;
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
  /**
   * `release` of a request whose customer has left before anything was delivered: `spent` is what its upstream has done for
   * nothing, as far as that is known. The account's allowance of such requests is used up by it. Does not throw.
   */
  abandon(spent: TokenUsage): Promise<void>;
  /**
   * After the charge of a stream that its customer has left: the account's allowance is used up by what its upstream has
   * done, as far as that is known, beyond what was charged. Does not throw.
   */
  noteUnpaid(worked: TokenUsage, charged: TokenUsage): Promise<void>;
  /** Gives a charge back that was recorded for a response of which nothing was written, unless it is kept. Does not throw. */
  refund(): Promise<void>;
}

/** What is particular to an endpoint: how its requests are planned, and how they are answered. */
export interface PaidWork<Plan extends PaidPlan> extends Planner<Plan> {
  streamed: boolean;
  /** What takes time to check, and is checked once there is a permit. */
  checkSlowly?: (() => Promise<void>) | undefined;
  replay(answer: KeptAnswer): Promise<void>;
  /** What is neither charged nor released by it is released after it. */
  deliver(caller: Caller, plan: Plan, hold: Hold): Promise<void>;
}

/** A request whose cost is asked for. */
export interface QuotedRequest {
  model: Model;
  maximumCostNano: NanoUsd;
  /** The most that it can cost by what was counted of it, if that is known. */
  countedCostNano: NanoUsd | undefined;
  promptTokensBound: number;
  /** Undefined if the model has no tokenizer here, or there was no time for it. */
  promptTokensCounted: number | undefined;
  /** Of each choice. */
  maxOutputTokens: number;
  choices: number;
  images: number;
}
