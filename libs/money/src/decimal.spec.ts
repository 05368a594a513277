import fc from 'fast-check';
import { scaleDecimal } from './decimal';

it.each([
  ['1.5e-06', 12, 1_500_000n, true],
  ['5.46875e-07', 12, 546_875n, true],
  ['0.0000000000001', 12, 0n, false],
  ['0.0000000000005', 12, 1n, false],
  ['-0.0000000000005', 12, -1n, false],
  ['0.30000000000000004', 18, 300_000_000_000_000_040n, true],
  ['123.45', 9, 123_450_000_000n, true],
  ['2E+3', 0, 2_000n, true],
  ['0', 9, 0n, true],
] as const)('%s to %d places', (text, places, units, isExact) => {
  expect(scaleDecimal(text, places)).toEqual({ units, isExact });
});

it.each(['', '.', '1.', '.5', '+1', '1e', '1e400', 'NaN', 'Infinity', '0x10', ' 1', '1,5', 'null'])(
  'refuses "%s"',
  (text) => {
    expect(scaleDecimal(text, 9)).toBeUndefined();
  },
);

it('reads every number that JavaScript writes as the same number', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, min: -1e12, max: 1e12 }), (value) => {
      const text = JSON.stringify(value);
      const scaled = scaleDecimal(text, 340);
      if (/e-\d{3}/.test(text)) expect(scaled).toBeUndefined();
      else expect(Number(`${String(scaled?.units)}e-340`)).toBe(value === 0 ? 0 : value);
    }),
  );
});
