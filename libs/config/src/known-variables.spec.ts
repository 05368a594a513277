import { accountVariables, gatewayVariables, workerVariables } from './index';
import { KNOWN_VARIABLES } from './known-variables';

it.each([
  ['gateway', gatewayVariables],
  ['account service', accountVariables],
  ['worker', workerVariables],
])('every variable of the %s is known', (_, { shape }) => {
  const names = Object.keys(shape).filter((name) => name.startsWith('FAREBOX_'));
  expect(names.length).toBeGreaterThan(5);
  expect(names.filter((name) => !KNOWN_VARIABLES.includes(name))).toEqual([]);
});

it('they are listed once each, in order', () => {
  expect([...new Set(KNOWN_VARIABLES)].sort()).toEqual(KNOWN_VARIABLES);
});
