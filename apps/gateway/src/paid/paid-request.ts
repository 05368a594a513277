import { MOST_IGNORED_NAMES } from '@farebox/api';
import { ApiError, toApiError, type ErrorCode } from '@farebox/errors';
import type { Turns } from '@farebox/flow';
import { inSpan } from '@farebox/observability';
import type { Caller } from '../identity/api-keys';
import { toLimitHeaders } from '../limiter/limit-policies';
import type { Permit } from '../limiter/request-limits';
import type { UpstreamMeter } from '../upstream/upstream-attempts';
import type { StopSignal } from '../stop-switch';
import { admitRequest, type AdmissionDeps, type Admitted } from './admit-request';
import { withHold } from './end-hold';
import type { PaidPlan, PaidRequest, PaidWork, Planner, PaidClient } from './terms';

/** Everything that paid work needs, whatever the endpoint. */
export interface DeliveryDeps extends AdmissionDeps {
  upstreams: UpstreamMeter;
  /** The turns in which long responses are read. */
  turns: Turns;
  /** Concurrent long whole responses. */
  longAnswers: Turns;
  /** Aborted when the process must end now. */
  shutdown: StopSignal;
}

/**
 * The story of a paid request: plan it, wait for its permit, hold its maximum cost, then deliver and charge. A
 * request that was charged before gets its kept response. Throws the client's error as long as nothing was sent.
 */
export async function servePaid<Plan extends PaidPlan>(
  deps: AdmissionDeps,
  request: PaidRequest,
  client: Pick<PaidClient, 'gone' | 'announce'>,
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
  if (admitted.limits) client.announce(toLimitHeaders(admitted.caller, admitted.limits, permit.window));
  request.progress.hold = admitted.hold;
  await withHold(admitted.hold, async (hold) => {
    if (!client.gone.aborted) await work.deliver(caller, admitted.plan, hold);
  });
}

/**
 * Throws the limiter's refusal, whatever the result of the admission that was begun meanwhile; its hold is released.
 */
async function permitBeside(
  permit: Promise<Permit>,
  begun: Promise<Admitted<PaidPlan>> | undefined,
): Promise<Permit> {
  // Its own refusal comes after the permit's.
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

/** Names the fields that were left out of the request. A name that no header could have is omitted. */
export function ignoredHeaders(ignoredFields: readonly string[]): [name: string, value: string][] {
  if (ignoredFields.length === 0) return [];
  const names = ignoredFields.filter((name) => /^[\w.$:-]{1,100}$/.test(name)).slice(0, MOST_IGNORED_NAMES);
  return names.length === 0 ? [] : [['X-Ignored-Fields', names.join(', ')]];
}

/** A remembered caller may have gained rights since, so only the database's current state refuses them. */
async function planFirst<Plan extends PaidPlan>(
  { catalog }: AdmissionDeps,
  request: PaidRequest,
  planner: Planner<Plan>,
): Promise<{ caller: Caller; plan: Plan }> {
  const planFor = async (by: Caller): Promise<Plan> => planner.plan(catalog.current, by);
  try {
    return { caller: request.caller, plan: await planFor(request.caller) };
  } catch (error) {
    if (!(error instanceof ApiError && CALLERS_REFUSALS.has(error.code))) throw error;
    const current = await request.identifyAgain();
    return { caller: current, plan: await planFor(current) };
  }
}

/** Models that depend on the key's policy and on its account's cohort. */
const CALLERS_REFUSALS = new Set<ErrorCode>(['model_not_allowed', 'model_not_found']);
