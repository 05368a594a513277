import { toNanoUsd } from '@farebox/money';
import type { Admission, Settlement } from '../hold';
import { fromOutcomes, toStatement } from './batch-call';

const settlement: Settlement = { holdId: 'a-hold', accountId: 'an-account' };
const admission: Admission = {
  holdId: 'another-hold',
  accountId: 'an-account',
  apiKeyId: 'a-key',
  apiKeyVersion: 1,
  cohortName: 'beta',
  amountNano: toNanoUsd(20n),
  mostTokens: 30,
  modelId: 'a-model',
  priceVersionId: 'a-version',
  requestId: 'a-request',
};

it('calls of every size share one statement, which is prepared once', () => {
  const one = toStatement('a-gateway', { settlements: [settlement], admissions: [] });
  const many = toStatement(
    'a-gateway',
    { settlements: Array<Settlement>(9).fill(settlement), admissions: [admission], awaitedAccountId: 'a' },
    { durability: 'on' },
  );
  expect([many.name, many.text]).toEqual([one.name, one.text]);
  expect(many.values).toHaveLength(one.values.length);
});

describe('outcomes', () => {
  it('are returned with their data', () => {
    const placed = (outcome: string) =>
      fromOutcomes({ settlements: [settlement], admissions: [admission] }, `resolved,${outcome}`)
        .admissions[0];
    expect(placed('admitted')).toEqual({ outcome: 'admitted' });
    expect(placed('contended')).toBe('contended');
    expect(placed('replay:a-hold')).toEqual({ outcome: 'replay', holdId: 'a-hold' });
    expect(placed('insufficient_funds:7')).toEqual({ outcome: 'insufficient_funds', availableNano: 7n });
    expect(placed('key_month_limit:0')).toEqual({ outcome: 'key_month_limit', leftNano: 0n });
  });

  it('match the items, settlements first', () => {
    const call = { settlements: [settlement, settlement], admissions: [admission, admission] };
    expect(fromOutcomes(call, 'not_held,contended,contended,admitted')).toEqual({
      settlements: ['not_held', 'contended'],
      admissions: ['contended', { outcome: 'admitted' }],
    });
  });

  it('that are too few, or unknown, are an error', () => {
    const call = { settlements: [settlement], admissions: [admission] };
    expect(() => fromOutcomes(call, 'admitted,admitted')).toThrow('what became of a hold');
    expect(() => fromOutcomes(call, 'resolved')).toThrow('fewer outcomes');
  });
});
