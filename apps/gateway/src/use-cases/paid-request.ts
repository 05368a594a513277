import type { Model } from '@farebox/catalog';
import { MOST_IGNORED_NAMES } from '@farebox/contracts';
import { ApiError, toApiError, type ErrorCode } from '@farebox/errors';
import type { IdempotencyClaim } from '@farebox/ledger';
import type { NanoUsd } from '@farebox/money';
import { inSpan, type Span } from '@farebox/observability';
import type { ServedCatalog } from '../catalog/live-catalog';
import type { Caller } from '../identity/api-keys';
import type { Permit } from '../limiter/request-limits';
import type { RequestProgress } from '../uncharged/request-progress';
import { admitRequest, type AdmissionDeps, type Admitted } from './admit-request';
import type { ChatClient } from './completion';
import type { RouteTarget } from './failed-calls';
import { withHold, type Hold } from './hold';
import type { KeptAnswer } from './kept-answers';

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
  /** Under this no count of the prompt brings the maximum cost. */
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
  /** Identifies the caller anew if their key has changed. Throws if it is no longer live. */
  identifyAgain(): Promise<Caller>;
  /** What makes it repeatable, if the client wants that. */
  idempotency: IdempotencyClaim | undefined;
  span: Span;
  /** Is told of the hold, or that there is none since the request was charged before. */
  progress: RequestProgress;
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

/**
 * The story of a paid request: plan it, wait for its permit, hold its maximum cost, then deliver and charge. One that was charged
 * before is answered with what was kept. Throws what the client is to be told while nothing was sent to them.
 */
export async function servePaid<Plan extends PaidPlan>(
  deps: AdmissionDeps,
  request: PaidRequest,
  client: Pick<ChatClient, 'gone' | 'announce'>,
  work: PaidWork<Plan>,
): Promise<void> {
  const { caller, plan: firstPlan } = await planFirst(deps, request, work);
  const admit = (): Promise<Admitted<Plan>> =>
    inSpan(
      request.span,
      'admit',
      () => admitRequest(deps, caller === request.caller ? request : { ...request, caller }, work, firstPlan),
      codeOf,
    );
  const begun = !work.checkSlowly && request.isPermitSure ? admit() : undefined;
  const permit = await permitBeside(request.permit, begun);
  client.announce(permit.headers);
  client.announce(ignoredHeaders(firstPlan.ignoredFields));
  if (!begun && client.gone.aborted) return;
  await work.checkSlowly?.();
  const admitted = await (begun ?? admit());
  if (admitted.outcome === 'replay') {
    request.progress.isReplay = true;
    await work.replay(admitted.answer);
    return;
  }
  request.progress.hold = admitted.hold;
  await withHold(admitted.hold, async (hold) => {
    if (!client.gone.aborted) await work.deliver(caller, admitted.plan, hold);
  });
}

/** Throws the limiter's refusal, whatever the admission says that was begun beside it; what that holds is given back. */
async function permitBeside(
  permit: Promise<Permit>,
  begun: Promise<Admitted<PaidPlan>> | undefined,
): Promise<Permit> {
  // A refusal of its own is told after the permit's.
  const settled = begun?.catch(() => undefined);
  try {
    return await permit;
  } catch (refusal) {
    const admitted = await settled;
    if (admitted?.outcome === 'placed') await admitted.hold.release();
    throw refusal;
  }
}

const codeOf = (thrown: unknown): string => toApiError(thrown).code;

/** Names what was left out of the request; a name that no header could have is not told. */
export function ignoredHeaders(ignoredFields: readonly string[]): [name: string, value: string][] {
  if (ignoredFields.length === 0) return [];
  const names = ignoredFields.filter((name) => /^[\w.$:-]{1,100}$/.test(name)).slice(0, MOST_IGNORED_NAMES);
  return names.length === 0 ? [] : [['X-Ignored-Fields', names.join(', ')]];
}

/** What a caller who is remembered may not use, they may use since: it is refused only on what the database says now. */
async function planFirst<Plan extends PaidPlan>(
  { catalog }: AdmissionDeps,
  request: PaidRequest,
  planner: Planner<Plan>,
): Promise<{ caller: Caller; plan: Plan }> {
  const planFor = (by: Caller): Plan => planner.plan(catalog.current, by);
  try {
    return { caller: request.caller, plan: planFor(request.caller) };
  } catch (error) {
    if (!(error instanceof ApiError && CALLERS_REFUSALS.has(error.code))) throw error;
    const current = await request.identifyAgain();
    return { caller: current, plan: planFor(current) };
  }
}

/** Those that depend on the key's policy and on its account's cohort. */
const CALLERS_REFUSALS = new Set<ErrorCode>(['model_not_allowed', 'model_not_found']);
