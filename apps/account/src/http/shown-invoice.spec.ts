import { shownAmount } from './shown-invoice';

it.each([
  ['5.000000000', '5.00'],
  ['0.000010500', '0.0000105'],
  ['-12.340000000', '-12.34'],
  ['0.100000000', '0.10'],
  ['1.000000001', '1.000000001'],
  ['100.000000000', '100.00'],
])('%s is shown as %s', (amount, shown) => {
  expect(shownAmount(amount)).toBe(shown);
});
