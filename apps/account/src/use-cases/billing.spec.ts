import { fromDecimalUsd } from '@farebox/money';
import { requirePayable } from './billing';

const bounds = { minNano: fromDecimalUsd('5'), maxNano: fromDecimalUsd('1000') };
const payable = (amount: string) => () => {
  requirePayable(fromDecimalUsd(amount), bounds);
};

it.each(['5', '5.01', '999.99', '1000.00'])('%s can be paid', (amount) => {
  expect(payable(amount)).not.toThrow();
});

it.each(['4.99', '0.01', '1000.01', '5.001', '5.000000001', '-5'])('%s cannot be paid', (amount) => {
  expect(payable(amount)).toThrow(
    expect.objectContaining({
      code: 'invalid_request_error',
      param: 'amount',
      publicMessage: "'amount' must be whole cents from 5.00 to 1000.00 dollars.",
    }) as Error,
  );
});
