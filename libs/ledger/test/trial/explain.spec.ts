import { toNanoUsd } from '@farebox/money';
import {
  accountId,
  admit,
  after,
  aLedger,
  apiKeyId,
  gatewayId,
  release,
  topUp,
} from '../model/sample-ledger';
import { accountOf, balanceOf, heldOf, withValue, type LedgerState } from '../model/state';
import { explain, type Observed } from './explain';

const admitted = { outcome: 'admitted' } as const;
const insufficient = (availableNano: bigint) =>
  ({ outcome: 'insufficient_funds', availableNano: toNanoUsd(availableNano) }) as const;

/** The account's balance and holds in each state that explains the answers. */
function endsOf(state: LedgerState, ...observed: Observed[]): string[] {
  const nameOf = (end: LedgerState): string =>
    `${String(balanceOf(end, accountId))} held ${String(heldOf(end, accountId))}`;
  return explain(state, observed, nameOf).map(nameOf);
}

describe('the answers of concurrent operations are explained', () => {
  it('by the order in which they make sense, whatever the order of the calls', () => {
    const answers: Observed[] = [
      { operation: admit('large', 150n), answer: admitted },
      { operation: topUp(60n), answer: { created: true, balanceAfterNano: toNanoUsd(160n) } },
    ];
    expect(endsOf(aLedger(), ...answers)).toEqual(['160 held 150']);
  });

  it('not at all if no order gives them', () => {
    const answers: Observed[] = [
      { operation: admit('one', 60n), answer: admitted },
      { operation: admit('other', 60n), answer: admitted },
    ];
    expect(endsOf(aLedger(), ...answers)).toEqual([]);
  });

  it('by every possible end state', () => {
    const limit = (limitNano: bigint): Observed => ({
      operation: { kind: 'setMonthlyLimit', apiKeyId, limitNano: toNanoUsd(limitNano) },
      answer: 'done',
    });
    const limitOf = (state: LedgerState): string =>
      String(state.apiKeys.get(apiKeyId)?.monthlySpendLimitNano);
    expect(
      explain(aLedger(), [limit(1n), limit(2n)], limitOf)
        .map(limitOf)
        .sort(),
    ).toEqual(['1', '2']);
  });

  it('only by the order of their call, if they were in one call', () => {
    const state = after(aLedger(), admit('first', 100n));
    const place = (...rank: number[]) => ({ gateway: 'first', accountId, rank });
    const released = { operation: release('first'), answer: 'resolved', place: place(0, 0, 1) } as const;
    const refused = { operation: admit('second', 100n), answer: insufficient(0n) };
    expect(endsOf(state, refused, released)).toEqual(['100 held 0']);
    expect(endsOf(state, { ...refused, place: place(0, 1, 0) }, released)).toEqual([]);
  });
});

describe('two accounts in one call', () => {
  const other = { accountId: 'other', apiKeyId: 'key of other' };

  /** Both have 100. */
  function twoAccounts(): LedgerState {
    const state = aLedger();
    return {
      ...state,
      accounts: withValue(state.accounts, other.accountId, accountOf(state, accountId)),
      apiKeys: withValue(state.apiKeys, other.apiKeyId, {
        accountId: other.accountId,
        isRevoked: false,
        isExpired: false,
        version: 1,
        monthlySpendLimitNano: undefined,
      }),
    };
  }

  it('have no order between them: one that is locked is skipped', () => {
    const state = after(twoAccounts(), admit('locked', 10n), admit('free', 10n, other));
    const place = (ofAccountId: string, arrival: number) => ({
      gateway: 'first',
      accountId: ofAccountId,
      rank: [0, 0, arrival],
    });
    const released: Observed = {
      operation: { kind: 'release', holdId: 'free', accountId: other.accountId },
      answer: 'resolved',
      place: place(other.accountId, 1),
    };
    const swept: Observed = {
      operation: release('locked'),
      answer: 'not_held',
      place: place(accountId, 0),
    };
    const lost: Observed = { operation: { kind: 'gatewayLost', gatewayId }, answer: 1 };
    expect(endsOf(state, swept, released, lost)).toEqual(['100 held 0']);
  });
});

describe('a lost gateway is explained', () => {
  const lost = (released: number): Observed => ({
    operation: { kind: 'gatewayLost', gatewayId },
    answer: released,
  });

  it('by a sweep of all its holds, and of nothing settled before', () => {
    const state = after(aLedger(), admit('one', 10n), admit('other', 20n));
    expect(endsOf(state, lost(2))).toEqual(['100 held 0']);
    expect(endsOf(state, lost(1))).toEqual([]);
    expect(endsOf(state, lost(1), { operation: release('one'), answer: 'resolved' })).toEqual(['100 held 0']);
    expect(endsOf(state, lost(2), { operation: release('one'), answer: 'not_held' })).toEqual(['100 held 0']);
  });

  it('by a sweep that left an account which another operation kept locked', () => {
    const state = after(aLedger(), admit('one', 10n), admit('other', 20n));
    const locked: Observed = { operation: { kind: 'lockAccount', accountId, lockMs: 1 }, answer: 'done' };
    expect(endsOf(state, lost(0), locked)).toEqual(['100 held 30']);
    expect(endsOf(state, lost(1), locked)).toEqual([]);
    expect(endsOf(state, lost(0))).toEqual([]);
  });

  it('whether or not its sweep saw a hold placed at the same time', () => {
    const placed = { operation: admit('late', 10n), answer: admitted };
    expect(endsOf(aLedger(), lost(0), placed)).toEqual(['100 held 10']);
    expect(endsOf(aLedger(), lost(1), placed)).toEqual(['100 held 0']);
  });
});
