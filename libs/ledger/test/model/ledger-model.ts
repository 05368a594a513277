/**
 * The rules of the ledger without a database: the effect of each operation on a state, and the answer to its
 * caller.
 *
 * The real ledger is compared with this model, so it follows the rules (README, "Invariants" and "States of a
 * hold") and favours readability: every balance and counter is recomputed as the sum of its facts on each
 * access. Operations happen one at a time; concurrent ones may have the effect of any order.
 */
import { admit, changeAccount, changeApiKey, expireAnswers, purgeKeptAnswers } from './admit';
import { adjust, refund, topUp } from './entries';
import { lapseLease, loseGateway, renewLease, sweep } from './gateways';
import type { Applied, Operation } from './operation';
import { openReview, resolveReview } from './reviews';
import { abandon, charge, release } from './settle';
import type { LedgerState } from './state';

/** Applies an operation. Throws if it names an account or an API key unknown to the model. */
export function apply(state: LedgerState, operation: Operation): Applied {
  switch (operation.kind) {
    case 'admit':
      return admit(state, operation.gatewayId, operation.admission);
    case 'charge':
      return charge(state, operation, operation.usage);
    case 'release':
      return operation.abandoned ? abandon(state, operation, operation.abandoned) : release(state, operation);
    case 'refund':
      return refund(state, operation.chargeId);
    case 'topUp':
      return topUp(state, operation.topUp);
    case 'adjust':
      return adjust(state, operation.adjustment);
    case 'openReview':
      return openReview(state, operation, operation.usage);
    case 'resolveReview':
      return resolveReview(state, operation.reviewId, operation.resolution);
    case 'revokeKey':
      return changeApiKey(state, operation.apiKeyId, () => ({ isRevoked: true }));
    case 'rotateKey':
      return changeApiKey(state, operation.apiKeyId, ({ version }) => ({
        version: version + 1,
        isExpired: false,
      }));
    case 'expireKey':
      return changeApiKey(state, operation.apiKeyId, () => ({ isExpired: true }));
    case 'setMonthlyLimit':
      return changeApiKey(state, operation.apiKeyId, () => ({ monthlySpendLimitNano: operation.limitNano }));
    case 'suspend':
      return changeAccount(state, operation.accountId, { inviteStatus: 'suspended' });
    case 'activate':
      return changeAccount(state, operation.accountId, { inviteStatus: 'active' });
    case 'moveToCohort':
      return changeAccount(state, operation.accountId, { cohortName: operation.cohortName });
    case 'lockAccount':
      return { state, answer: 'done' };
    case 'renewLease':
      return renewLease(state, operation.gatewayId);
    case 'lapseLease':
      return lapseLease(state, operation.gatewayId);
    case 'sweep':
      return sweep(state, operation.unseen);
    case 'gatewayLost':
      return loseGateway(state, operation.gatewayId);
    case 'expireAnswers':
      return expireAnswers(state);
    case 'purgeKeptAnswers':
      return purgeKeptAnswers(state);
    case 'dayPasses':
      return passTime(state, 0);
    case 'monthPasses':
      return passTime(state, 1);
  }
}

function passTime({ today, ...state }: LedgerState, months: number): Applied<'done'> {
  return { state: { ...state, today: { day: today.day + 1, month: today.month + months } }, answer: 'done' };
}
