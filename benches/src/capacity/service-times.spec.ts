import { fitCallCosts, measureFlushMs, worstMisfit, type MeasuredCall } from './service-times';

const PRICES = { callUs: 500, itemUs: 20, accountUs: 7 };
const callOf = (items: number, accounts: number): MeasuredCall => ({
  items,
  accounts,
  cpuUs: PRICES.callUs + PRICES.itemUs * items + PRICES.accountUs * accounts,
});
const CALLS = [callOf(8, 1), callOf(256, 1), callOf(8, 8), callOf(128, 100)];

it('the prices are found that calls were made of', () => {
  const { callUs, itemUs, accountUs } = fitCallCosts(CALLS);
  expect(callUs).toBeCloseTo(500);
  expect(itemUs).toBeCloseTo(20);
  expect(accountUs).toBeCloseTo(7);
  expect(worstMisfit(CALLS, PRICES)).toBe(0);
});

it('a call that is dearer than its price is said', () => {
  const dear = { ...callOf(8, 1), cpuUs: 1_334 };
  expect(worstMisfit([...CALLS, dear], PRICES)).toBeCloseTo(0.5);
});

it('this disk takes some time', () => {
  expect(measureFlushMs()).toBeGreaterThan(0);
});
