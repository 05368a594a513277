import { toNanoUsd } from '@farebox/money';
import type { Applied } from './operation';
import { release } from './settle';
import { withValue, type LedgerState } from './state';

export function renewLease(state: LedgerState, gatewayId: string): Applied<'done'> {
  const lapsedGateways = new Set(state.lapsedGateways);
  lapsedGateways.delete(gatewayId);
  return { state: { ...state, lapsedGateways }, answer: 'done' };
}

export function lapseLease(state: LedgerState, gatewayId: string): Applied<'done'> {
  const lapsedGateways = new Set(state.lapsedGateways).add(gatewayId);
  return { state: { ...state, lapsedGateways }, answer: 'done' };
}

/**
 * Releases the holds of lapsed gateways, each with a review for the operator, because nothing proves a
 * delivery. Holds placed during the sweep may be left for the next one.
 */
export function sweep(state: LedgerState, unseen: readonly string[]): Applied<number> {
  let after = state;
  let released = 0;
  for (const [holdId, hold] of state.holds) {
    if (!state.lapsedGateways.has(hold.gatewayId) || unseen.includes(holdId)) continue;
    const reviews = withValue(after.reviews, holdId, {
      hold,
      reason: 'gateway_lost',
      state: 'open',
      reservedNano: toNanoUsd(0n),
    });
    const { accountId } = hold.admission;
    after = release({ ...after, reviews }, { holdId, accountId }).state;
    released++;
  }
  return { state: after, answer: released };
}

export function loseGateway(state: LedgerState, gatewayId: string): Applied<number> {
  return sweep(lapseLease(state, gatewayId).state, []);
}
