import { toNanoUsd } from '@farebox/money';
import type { Admission, Settlement } from '../hold';
import { fromLoneRow, toLoneStatement, toPlainArray, toTextArray } from './batch-call';

describe('array literals', () => {
  it('of plain values', () => {
    expect(toPlainArray([])).toBe('{}');
    expect(toPlainArray([1, 2n, true, undefined, 'a-b'])).toBe('{1,2,true,NULL,a-b}');
  });

  it('of text, whatever it holds', () => {
    expect(toTextArray(['a', 'NULL', undefined, '', 'x"\\,{}'])).toBe('{"a","NULL",NULL,"","x\\"\\\\,{}"}');
  });
});

describe('lone items', () => {
  const settlement: Settlement = { holdId: 'a-hold', accountId: 'an-account' };
  const admission: Admission = {
    holdId: 'another-hold',
    accountId: 'an-account',
    apiKeyId: 'a-key',
    apiKeyVersion: 1,
    cohortName: 'beta',
    amountNano: toNanoUsd(20n),
    modelId: 'a-model',
    priceVersionId: 'a-version',
    requestId: 'a-request',
  };

  it.each([
    [1, 0],
    [0, 1],
    [1, 1],
    [2, 0],
    [1, 2],
    [3, 3],
  ])('have a statement of their own: %i settlements and %i admissions', (settlements, admissions) => {
    const statement = toLoneStatement('a-gateway', {
      settlements: Array.from({ length: settlements }, () => settlement),
      admissions: Array.from({ length: admissions }, () => admission),
    });
    const count = settlements * 18 + admissions * 12;
    expect(statement?.name).toBe(`ledger_settle_${String(settlements)}_place_${String(admissions)}`);
    expect(statement?.values).toHaveLength(count);
    const numbers = Array.from(statement?.text.matchAll(/\$(\d+)/g) ?? [], ([, number]) => Number(number));
    expect(numbers).toEqual(Array.from({ length: count }, (_, i) => i + 1));
  });

  it.each([
    ['more than three of a kind', { settlements: Array<Settlement>(4).fill(settlement), admissions: [] }],
    ['none', { settlements: [], admissions: [] }],
    [
      'one that waits for a lock',
      { awaitedAccountId: 'an-account', settlements: [settlement], admissions: [] },
    ],
  ])('but not %s', (_, call) => {
    expect(toLoneStatement('a-gateway', call)).toBeUndefined();
  });

  it('are answered with what belongs to the outcome', () => {
    const call = { settlements: [settlement], admissions: [admission] };
    const placed = (text: string) =>
      fromLoneRow(call, { settled_0: 'resolved', placed_0: text }).admissions[0];
    expect(placed('admitted')).toEqual({ outcome: 'admitted' });
    expect(placed('contended')).toBe('contended');
    expect(placed('replay:a-hold')).toEqual({ outcome: 'replay', holdId: 'a-hold' });
    expect(placed('insufficient_funds:7')).toEqual({ outcome: 'insufficient_funds', availableNano: 7n });
    expect(placed('key_month_limit:0')).toEqual({ outcome: 'key_month_limit', leftNano: 0n });
    expect(() => fromLoneRow(call, { placed_0: 'admitted' })).toThrow('what became of a hold');
  });

  it('are answered each with its own outcome', () => {
    const call = { settlements: [settlement, settlement], admissions: [admission, admission] };
    const row = {
      settled_0: 'not_held',
      settled_1: 'contended',
      placed_0: 'contended',
      placed_1: 'admitted',
    };
    expect(fromLoneRow(call, row)).toEqual({
      settlements: ['not_held', 'contended'],
      admissions: ['contended', { outcome: 'admitted' }],
    });
  });
});
