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
    ['ledger_settle_hold', { settlements: [settlement], admissions: [] }, 18],
    ['ledger_place_hold', { settlements: [], admissions: [admission] }, 12],
    ['ledger_settle_and_place', { settlements: [settlement], admissions: [admission] }, 30],
  ])('have a statement of their own: %s', (name, call, count) => {
    const statement = toLoneStatement('a-gateway', call);
    expect(statement?.name).toBe(name);
    expect(statement?.values).toHaveLength(count);
    const numbers = Array.from(statement?.text.matchAll(/\$(\d+)/g) ?? [], ([, number]) => Number(number));
    expect(numbers).toEqual(Array.from({ length: count }, (_, i) => i + 1));
  });

  it.each([
    ['more than one of a kind', { settlements: [settlement, settlement], admissions: [] }],
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
    const placed = (text: string) => fromLoneRow(call, { settled: 'resolved', placed: text }).admissions[0];
    expect(placed('admitted')).toEqual({ outcome: 'admitted' });
    expect(placed('contended')).toBe('contended');
    expect(placed('replay:a-hold')).toEqual({ outcome: 'replay', holdId: 'a-hold' });
    expect(placed('insufficient_funds:7')).toEqual({ outcome: 'insufficient_funds', availableNano: 7n });
    expect(placed('key_month_limit:0')).toEqual({ outcome: 'key_month_limit', leftNano: 0n });
    expect(fromLoneRow(call, { settled: 'not_held', placed: 'admitted' }).settlements).toEqual(['not_held']);
    expect(() => fromLoneRow(call, { placed: 'admitted' })).toThrow('what became of a hold');
  });
});
