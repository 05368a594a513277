import type { Model, Route, TokenUsage } from '@farebox/catalog';
import type { IdempotencyClaim } from '@farebox/ledger';
import type { NanoUsd } from '@farebox/money';
import type { Span } from '@farebox/observability';
import type { ServedCatalog } from '../upstream/live-catalog';
import type { Caller } from '../identity/api-keys';
import type { Permit } from '../limiter/request-limits';
import type { RouteTarget } from '../upstream/failed-calls';
import type { UpstreamAttempt } from '../upstream/upstream-attempts';
import type { StopSignal } from '../stop-switch';
import type { RequestProgress } from './request-progress';
import type { Charge } from './charged-usage';
import type { AnswerToKeep, KeptAnswer } from './kept-answers';

/** Everything that is decided about a paid request before money is requested. */
export interface PaidPlan {
  model: Model;
  targets: RouteTarget[];
  maximumCostNano: NanoUsd;
  /** The most tokens of the prompt and of all output. */
  mostTokens: number;
  /** Images in the prompt, which may have a price. */
  images?: number;
  /** The names of the fields that are left out. */
  ignoredFields: readonly string[];
}

/** How the requests to one endpoint are planned. */
export interface Planner<Plan extends PaidPlan> {
  /** Plans with cheap data. Throws `model_not_found`, `model_not_allowed` or `invalid_request_error`. */
  plan(catalog: ServedCatalog, caller: Caller): Plan | Promise<Plan>;
  /** The lowest maximum cost that any count of the prompt could give. */
  leastCost(plan: Plan): NanoUsd;
  /** The same plan by a count of the prompt, which costs less; undefined if it cannot be counted. */
  byCount(plan: Plan, accountId: string): Promise<Plan | undefined>;
}

/** A request that costs money, whatever the endpoint. */
export interface PaidRequest {
  /** Unique to this request: its hold and its charge have it. */
  id: string;
  requestId: string;
  startedAtMs: number;
  caller: Caller;
  /** Requested when the head had arrived. Rejects with the limiter's refusal. */
  permit: Promise<Permit>;
  /** Whether the permit takes time and is almost certain, so that the next step may begin meanwhile. */
  isPermitSure: boolean;
  /** Identifies the caller again if their key has changed. Throws if it is no longer live. */
  identifyAgain(): Promise<Caller>;
  /** The key that makes it repeatable, if the client wants that. */
  idempotency: IdempotencyClaim | undefined;
  /** Whether later requests may name the items of its response. */
  keepsItems?: boolean;
  span: Span;
  /** Called with the hold, or without one if the request was charged before. */
  progress: RequestProgress;
}

/** A call to an upstream, whose trace ends with the hold. */
export type TracedCall = Pick<UpstreamAttempt, 'close'>;

/** The customer's end of a paid request. */
export interface PaidClient {
  /** Aborted when the customer left before the response was written. */
  readonly gone: StopSignal;
  /** Headers that are known before the response; each replaces an earlier one of the same name. */
  announce(headers: readonly (readonly [name: string, value: string])[]): void;
  /**
   * Sends a whole response. Resolves when it is written or the customer has left, with whether their connection has
   * taken its beginning. From then on they may have read any part.
   */
  sendWhole(json: string | readonly Buffer[]): Promise<boolean>;
  /** The items of the whole response that later requests may name. Nothing is added to them any more. */
  keptItems?(): readonly object[] | undefined;
}

/**
 * Money reserved for one request. Exactly one of `charge`, `release` and `abandon` ends it. It belongs to the scope
 * of `withHold`, which ends it if nothing else did.
 */
export interface Hold {
  readonly id: string;
  /** Whether it is neither charged nor released yet. After that, the ledger completes it, whatever happens. */
  isOpen(): boolean;
  /** Whether it ended without a charge: none was recorded, and none will be. */
  wasReleased(): boolean;
  /** Aborted if the database has lost it in a crash: nothing can be charged, so nothing may be delivered. */
  readonly lost: StopSignal;
  /** Aborted when its account was suspended: nothing more may be delivered, and what was is charged. */
  readonly barred: StopSignal;
  /**
   * A hold is in force before it is on disk, so that the upstream can be asked at once. Nothing may be delivered
   * before this resolves; undefined if it is already durable. Not needed after a charge. Throws
   * `service_unavailable`: the request may be repeated.
   */
  durable(): Promise<void> | undefined;
  /** In bytes, if the request has an Idempotency-Key: up to this length, a repetition gets the kept response. */
  readonly longestKept: number | undefined;
  /** Whether its items are kept instead, for later requests to name. */
  readonly keepsItems: boolean;
  /**
   * The route that is asked now, and its call. The last one before a charge is the one that responded: its cost is
   * recorded, and its trace gets the charge.
   */
  asked(route: Route, call: TracedCall): void;
  /** Time since that route was asked; undefined if none was. */
  askedForMs(): number | undefined;
  /** The cost of tokens, at most the hold. */
  costOf(usage: TokenUsage): NanoUsd;
  /**
   * Charges the cost of the tokens and returns it. `toAnswer` is called if the response is to be kept; it returns
   * undefined if the response is too long. Throws `billing_error` if the charge could not be recorded, and
   * `service_unavailable` if the database had lost the hold.
   */
  charge(charge: Charge, toAnswer: () => AnswerToKeep | undefined): Promise<NanoUsd>;
  /** Releases everything. Does not throw: a hold that cannot be released now is swept later. */
  release(): Promise<void>;
  /**
   * `release` for a request whose customer left before anything was delivered. `spent` is the work of its upstream,
   * as far as it is known, and uses up the account's allowance of such requests. Does not throw.
   */
  abandon(spent: TokenUsage): Promise<void>;
  /**
   * For a charged stream that its customer has left: the work of its upstream beyond the charge, as far as it is
   * known, uses up the account's allowance. Does not throw.
   */
  noteUnpaid(worked: TokenUsage, charged: TokenUsage): Promise<void>;
  /** Refunds a charge whose response was not written at all, unless the response is kept. Does not throw. */
  refund(): Promise<void>;
}

/** The parts that differ between endpoints: the planning of requests, and their delivery. */
export interface PaidWork<Plan extends PaidPlan> extends Planner<Plan> {
  streamed: boolean;
  /** Checks that take time, done once there is a permit. */
  checkSlowly?: (() => Promise<void>) | undefined;
  replay(answer: KeptAnswer): Promise<void>;
  /** A hold that it neither charges nor releases is released afterwards. */
  deliver(caller: Caller, plan: Plan, hold: Hold): Promise<void>;
}

/** A request for a quote. */
export interface QuotedRequest {
  model: Model;
  maximumCostNano: NanoUsd;
  /** The maximum cost by a count, if it is known. */
  countedCostNano: NanoUsd | undefined;
  /** The most tokens that it can use, and the same by a count. */
  mostTokens: number;
  countedTokens: number | undefined;
  promptTokensBound: number;
  /** Undefined if the model has no tokenizer here, or there was no time. */
  promptTokensCounted: number | undefined;
  /** For each choice. */
  maxOutputTokens: number;
  choices: number;
  images: number;
}
