import { createHash } from 'node:crypto';
import { uuidV7 } from '@farebox/auth';
import { toNanoUsd } from '@farebox/money';
import type { Abandonment, IdempotencyClaim, Usage } from '../../src/hold';
import type { Operation } from '../model/operation';
import type { LedgerState } from '../model/state';
import { COHORT_NAMES, STEADY_GATEWAY } from './books';
import type { GeneratedOperation, GeneratedUsage, HoldChoice, Via } from './generated-run';

export interface HoldName {
  holdId: string;
  accountId: string;
}

/** The objects that a generated operation may refer to at its turn. */
export interface Named {
  accountIds: readonly string[];
  apiKeyIds: readonly string[];
  gatewayId: string;
  state: LedgerState;
  /** Every hold ever placed, oldest first. */
  placed: readonly HoldName[];
}

/** An executable operation and its route. */
export interface Issue {
  via: Via;
  operation: Operation;
}

const MODELS = ['small', 'large'];
/** The id of a hold that was never placed. */
const NO_HOLD_ID = '00000000-0000-7000-8000-000000000000';

/** Gives a generated operation its ids. */
export function nameOperation(named: Named, generated: GeneratedOperation): Issue {
  const via = 'via' in generated ? generated.via : 'pool';
  return { via, operation: toOperation(named, generated) };
}

function toOperation(named: Named, generated: GeneratedOperation): Operation {
  const { accountIds, apiKeyIds, gatewayId } = named;
  switch (generated.kind) {
    case 'admit':
      return toAdmit(named, generated);
    case 'charge':
      return { ...toHold(named, generated), kind: 'charge', usage: toUsage(generated.usage) };
    case 'release':
      return { ...toHold(named, generated), kind: 'release', abandoned: toAbandonment(generated) };
    case 'openReview':
      return { ...chooseHold(named, generated.hold), kind: 'openReview', usage: toUsage(generated.usage) };
    case 'refund':
      return { kind: 'refund', chargeId: chooseHold(named, generated.hold).holdId };
    case 'resolveReview':
      return {
        kind: 'resolveReview',
        reviewId: chooseReview(named, generated),
        resolution: generated.resolution,
      };
    case 'topUp':
      return { kind: 'topUp', topUp: { ...toMovement(named, generated), method: 'manual' } };
    case 'adjust':
      return {
        kind: 'adjust',
        adjustment: { ...toMovement(named, generated), reason: 'goodwill', madeBy: 'ada' },
      };
    case 'revokeKey':
    case 'rotateKey':
    case 'expireKey':
      return { kind: generated.kind, apiKeyId: pick(apiKeyIds, generated.apiKey) };
    case 'setMonthlyLimit': {
      const { limitNano } = generated;
      return {
        kind: 'setMonthlyLimit',
        apiKeyId: pick(apiKeyIds, generated.apiKey),
        limitNano: limitNano === undefined ? undefined : toNanoUsd(limitNano),
      };
    }
    case 'lockAccount':
      return {
        kind: 'lockAccount',
        accountId: pick(accountIds, generated.account),
        lockMs: generated.lockMs,
      };
    case 'suspend':
    case 'activate':
      return { kind: generated.kind, accountId: pick(accountIds, generated.account) };
    case 'moveToCohort':
      return {
        kind: 'moveToCohort',
        accountId: pick(accountIds, generated.account),
        cohortName: pick(COHORT_NAMES, generated.cohort),
      };
    case 'gatewayLost':
    case 'renewLease':
      return { kind: generated.kind, gatewayId };
    case 'expireAnswers':
    case 'purgeKeptAnswers':
      return { kind: generated.kind };
  }
}

type Generated<Kind extends GeneratedOperation['kind']> = Extract<GeneratedOperation, { kind: Kind }>;

/** An admission through the pool belongs to the gateway that may be lost. */
function toAdmit(
  { accountIds, apiKeyIds, gatewayId, state }: Named,
  generated: Generated<'admit'>,
): Operation {
  const apiKeyId = pick(apiKeyIds, generated.apiKey);
  const apiKey = state.apiKeys.get(apiKeyId);
  const owner = apiKey?.accountId ?? '';
  const accountId = generated.isForeign ? otherThan(accountIds, owner) : owner;
  const cohortName = state.accounts.get(accountId)?.cohortName ?? '';
  return {
    kind: 'admit',
    gatewayId: generated.via === 'pool' ? gatewayId : STEADY_GATEWAY,
    admission: {
      holdId: uuidV7(),
      accountId,
      apiKeyId,
      apiKeyVersion: (apiKey?.version ?? 0) - (generated.isFormerSecret ? 1 : 0),
      cohortName: generated.isFormerCohort ? otherThan(COHORT_NAMES, cohortName) : cohortName,
      amountNano: toNanoUsd(generated.amountNano),
      mostTokens: 30,
      modelId: pick(MODELS, generated.model),
      priceVersionId: uuidV7(),
      requestId: `req_${uuidV7()}`,
      idempotency: generated.claim && toClaim(generated.claim),
    },
  };
}

function toClaim({ key, body }: { key: number; body: number }): IdempotencyClaim {
  const fingerprint = createHash('sha256')
    .update(`body ${String(body)}`)
    .digest();
  return { key: `key "${String(key)}"`, fingerprint };
}

function toHold(named: Named, { hold, isForeign }: { hold: HoldChoice; isForeign: boolean }): HoldName {
  const { holdId, accountId } = chooseHold(named, hold);
  return { holdId, accountId: isForeign ? otherThan(named.accountIds, accountId) : accountId };
}

function toAbandonment({ abandoned }: Generated<'release'>): Abandonment | undefined {
  return (
    abandoned && {
      costNano: toNanoUsd(abandoned.costNano),
      ...(abandoned.isRouted && { route: { upstreamId: 'near', upstreamModel: 'a "model"' } }),
    }
  );
}

function chooseHold(named: Named, { among, index }: HoldChoice): HoldName {
  const { placed, accountIds } = named;
  const some = holdsOf(named, among);
  const choice = some.length > 0 ? some : placed;
  const nobodys = { holdId: NO_HOLD_ID, accountId: pick(accountIds, index) };
  const { holdId, accountId } = choice[index % choice.length] ?? nobodys;
  return { holdId, accountId };
}

function holdsOf({ state, placed }: Named, among: HoldChoice['among']): readonly HoldName[] {
  switch (among) {
    case 'open':
      return [...state.holds.values()].map(({ admission }) => admission);
    case 'charged':
      return [...state.usageRecords.values()].map(({ hold }) => hold.admission);
    case 'ever':
      return placed;
  }
}

function chooseReview(named: Named, { among, index }: Generated<'resolveReview'>): string {
  const { reviews } = named.state;
  const open = [...reviews].filter(([, review]) => review.state === 'open').map(([id]) => id);
  const choice = among === 'open' && open.length > 0 ? open : [...reviews.keys()];
  return among === 'holds' || choice.length === 0
    ? chooseHold(named, { among: 'ever', index }).holdId
    : pick(choice, index);
}

/** The run's first account makes its references unique. */
function toMovement(
  { accountIds }: Named,
  { account, amountNano, reference }: Generated<'topUp' | 'adjust'>,
): { accountId: string; amountNano: ReturnType<typeof toNanoUsd>; reference: string } {
  return {
    accountId: pick(accountIds, account),
    amountNano: toNanoUsd(amountNano),
    reference: `${pick(accountIds, 0)} ${String(reference)}`,
  };
}

function toUsage({ costNano, flags, answer, firstTokenMs, ...usage }: GeneratedUsage): Usage {
  const [streamed, estimated] = flags;
  const { cachedTokens, cacheWriteTokens, reasoningTokens, images, ...counted } = usage;
  return {
    ...counted,
    ...(cachedTokens !== undefined && { cachedTokens }),
    ...(cacheWriteTokens !== undefined && { cacheWriteTokens }),
    ...(reasoningTokens !== undefined && { reasoningTokens }),
    ...(images !== undefined && { images }),
    measuredCostNano: toNanoUsd(costNano),
    streamed,
    estimated,
    latencyMs: 7,
    ...(firstTokenMs !== undefined && { firstTokenMs }),
    answer: answer === undefined ? undefined : Buffer.alloc(3, answer),
  };
}

function pick(items: readonly string[], index: number): string {
  return items[index % items.length] ?? '';
}

function otherThan(items: readonly string[], item: string): string {
  return items.find((other) => other !== item) ?? item;
}
