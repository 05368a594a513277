import { toPlainArray, toTextArray } from './batch-call';

describe('array literals', () => {
  it('of plain values', () => {
    expect(toPlainArray([])).toBe('{}');
    expect(toPlainArray([1, 2n, true, undefined, 'a-b'])).toBe('{1,2,true,NULL,a-b}');
  });

  it('of text, whatever it holds', () => {
    expect(toTextArray(['a', 'NULL', undefined, '', 'x"\\,{}'])).toBe('{"a","NULL",NULL,"","x\\"\\\\,{}"}');
  });
});
