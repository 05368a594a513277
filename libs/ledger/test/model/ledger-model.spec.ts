import { toNanoUsd } from '@farebox/money';
import type { Operation } from './operation';
import {
  abandon,
  accountId,
  admit,
  after,
  aLedger,
  answerTo,
  apiKeyId,
  aUsage,
  charge,
  gatewayId,
  release,
  topUp,
} from './sample-ledger';
import { accountDay, apiKeyMonth, availableOf, balanceOf, heldOf, type LedgerState } from './state';

const claimed = (holdId: string, body = 'body'): Operation =>
  admit(holdId, 10n, { idempotency: { key: 'key', fingerprint: Buffer.from(body) } });
const openReview = (holdId: string, costNano: bigint): Operation => ({
  kind: 'openReview',
  holdId,
  accountId,
  usage: aUsage(costNano),
});
const resolve = (reviewId: string, resolution: 'charge' | 'waive'): Operation => ({
  kind: 'resolveReview',
  reviewId,
  resolution,
});

describe('an admission with several reasons to refuse is refused for the first of them', () => {
  const reasons = [
    'lease_lapsed',
    'key_not_live',
    'key_changed',
    'key_expired',
    'no_access',
    'daily_request_cap',
    'daily_spend_cap',
    'abandonment_cap',
    'abandonment_at_risk',
    'key_month_limit',
    'insufficient_funds',
  ] as const;

  /** One request holds 40 of 100; one for 10 was abandoned. */
  function aLedgerAgainst(against: readonly (typeof reasons)[number][]): LedgerState {
    const when = (reason: (typeof reasons)[number], ...operations: Operation[]): Operation[] =>
      against.includes(reason) ? operations : [];
    const state = aLedger({
      account: {
        dailyRequestCap: against.includes('daily_request_cap') ? 2 : 3,
        dailyAbandonedRequests: against.includes('abandonment_cap') ? 1 : 2,
        dailyAbandonmentNano: toNanoUsd(against.includes('abandonment_at_risk') ? 129n : 130n),
        dailySpendCapNano: toNanoUsd(against.includes('daily_spend_cap') ? 119n : 120n),
      },
      apiKey: { monthlySpendLimitNano: toNanoUsd(against.includes('key_month_limit') ? 119n : 120n) },
    });
    return after(
      state,
      admit('left', 20n),
      admit('first', 40n),
      abandon('left', 10n),
      ...(against.includes('insufficient_funds') ? [] : [topUp(20n)]),
      ...when('key_changed', { kind: 'rotateKey', apiKeyId }),
      ...when('key_expired', { kind: 'expireKey', apiKeyId }),
      ...when('key_not_live', { kind: 'revokeKey', apiKeyId }),
      ...when('no_access', { kind: 'suspend', accountId }),
      ...when('lease_lapsed', { kind: 'lapseLease', gatewayId }),
    );
  }

  it.each(reasons)('%s', (reason) => {
    const state = aLedgerAgainst(reasons.slice(reasons.indexOf(reason)));
    expect(answerTo(state, admit('second', 80n))).toMatchObject({ outcome: reason });
  });

  it('and it is admitted without any reason, up to each limit', () => {
    expect(answerTo(aLedgerAgainst([]), admit('second', 80n))).toEqual({ outcome: 'admitted' });
  });
});

describe('an Idempotency-Key', () => {
  const lost: Operation = { kind: 'gatewayLost', gatewayId };
  const back: Operation = { kind: 'renewLease', gatewayId };

  it.each<[string, Operation[], string]>([
    ['in flight', [], 'idempotency_in_progress'],
    ['released', [release('first')], 'admitted'],
    ['swept', [lost, back], 'admitted'],
    ['charged with an answer', [charge('first', 5n, Buffer.from('answer'))], 'replay'],
    ['charged without one', [charge('first', 5n)], 'answer_withheld'],
    ['charged and purged', [charge('first', 5n), { kind: 'expireAnswers' }], 'admitted'],
    ['in review', [openReview('first', 5n), { kind: 'expireAnswers' }], 'answer_withheld'],
    ['charged by a review', [openReview('first', 5n), resolve('first', 'charge')], 'answer_withheld'],
    ['waived by a review', [openReview('first', 5n), resolve('first', 'waive')], 'admitted'],
  ])('of a request that is %s', (_name, operations, outcome) => {
    const state = after(aLedger(), claimed('first'), ...operations);
    expect(answerTo(state, claimed('second'))).toMatchObject({ outcome });
  });

  it('of another request is a conflict, charged or not', () => {
    const inFlight = after(aLedger(), claimed('first'));
    const charged = after(inFlight, charge('first', 5n, Buffer.from('answer')));
    for (const state of [inFlight, charged])
      expect(answerTo(state, claimed('second', 'other'))).toEqual({ outcome: 'idempotency_conflict' });
  });
});

describe('money', () => {
  it('is charged up to the hold, and a review records the excess', () => {
    const state = after(aLedger(), admit('first', 30n), charge('first', 31n));
    expect([balanceOf(state, accountId), heldOf(state, accountId)]).toEqual([70n, 0n]);
    expect(state.reviews.get('first')).toMatchObject({ reason: 'usage_over_hold', reservedNano: 0n });
  });

  it('is moved once for each hold', () => {
    const state = after(aLedger(), admit('first', 30n), charge('first', 30n));
    const again = [charge('first', 30n), release('first'), openReview('first', 1n)];
    expect(again.map((operation) => answerTo(state, operation))).toEqual(['not_held', 'not_held', false]);
    const refund: Operation = { kind: 'refund', chargeId: 'first' };
    expect(answerTo(after(state, refund), refund)).toBe(false);
    expect(balanceOf(after(state, refund, refund), accountId)).toBe(100n);
  });

  it('stays reserved for an open review: the measured amount, up to the hold', () => {
    const state = after(aLedger(), admit('first', 30n), admit('second', 30n));
    const inReview = after(state, openReview('first', 10n), openReview('second', 99n));
    expect([balanceOf(inReview, accountId), availableOf(inReview, accountId)]).toEqual([100n, 60n]);
    const resolved = after(inReview, resolve('first', 'charge'), resolve('second', 'waive'));
    expect([balanceOf(resolved, accountId), availableOf(resolved, accountId)]).toEqual([90n, 90n]);
  });

  it('counts on the day and in the month of the admission', () => {
    const state = after(aLedger(), admit('first', 30n), { kind: 'monthPasses' }, charge('first', 20n));
    expect(accountDay(state, accountId, { day: 0 })).toMatchObject({
      ...{ requests: 1, spentNano: 20n, heldNano: 0n },
    });
    expect(apiKeyMonth(state, apiKeyId, { month: 0 }).spentNano).toBe(20n);
    expect(apiKeyMonth(state, apiKeyId, state.today).spentNano).toBe(0n);
  });
});

describe('an abandoned request', () => {
  it("costs nothing, stays in its day's count, and counts up to its hold", () => {
    const state = after(aLedger(), admit('left', 30n), abandon('left', 40n));
    expect([balanceOf(state, accountId), availableOf(state, accountId)]).toEqual([100n, 100n]);
    const day = accountDay(state, accountId, state.today);
    expect(day).toMatchObject({ requests: 1, abandonedRequests: 1, abandonedNano: 30n });
  });

  it('frees its Idempotency-Key', () => {
    const state = after(aLedger(), claimed('left'), abandon('left', 5n));
    expect(answerTo(state, claimed('again'))).toEqual({ outcome: 'admitted' });
  });

  it('that was charged and refunded counts with its charge, and the third of a day is reviewed', () => {
    const lose = (holdId: string): Operation[] => [
      admit(holdId, 30n),
      charge(holdId, 10n),
      { kind: 'refund', chargeId: holdId },
    ];
    const two = after(aLedger(), ...lose('a'), ...lose('b'));
    expect(two.reviews.size).toBe(0);
    const four = after(two, ...lose('c'), ...lose('d'));
    const day = accountDay(four, accountId, four.today);
    expect(day).toMatchObject({ requests: 4, abandonedRequests: 4, abandonedNano: 40n, spentNano: 0n });
    expect([...four.reviews]).toMatchObject([['c', { reason: 'response_lost', others: { count: 1 } }]]);
  });

  it('leaves no room for requests above the allowance, while amounts reserved by reviews carry no risk', () => {
    const state = aLedger({ account: { dailyAbandonmentNano: toNanoUsd(50n) } });
    expect(answerTo(state, admit('large', 51n))).toEqual({ outcome: 'abandonment_at_risk', leftNano: 50n });
    const held = after(state, admit('first', 40n));
    expect(answerTo(held, admit('second', 11n))).toEqual({ outcome: 'abandonment_at_risk', leftNano: 10n });
    expect(answerTo(after(held, openReview('first', 40n)), admit('second', 50n))).toEqual({
      outcome: 'admitted',
    });
  });

  it('uses up the allowance until the day ends', () => {
    const state = aLedger({ account: { dailyAbandonmentNano: toNanoUsd(50n) } });
    const used = after(state, admit('left', 50n), abandon('left', 50n));
    expect(answerTo(used, admit('next', 0n))).toEqual({ outcome: 'abandonment_cap' });
    expect(answerTo(after(used, { kind: 'dayPasses' }), admit('next', 50n))).toEqual({ outcome: 'admitted' });
  });
});
