import { findShortage, readMachineLimits } from './machine-limits';

const needs = { streams: 2_000, newConnectionsPerSecond: 10 };

it('a machine with enough lacks nothing', () => {
  expect(findShortage(needs, { openFiles: 4_200, localPorts: 2_600 })).toBeUndefined();
});

it.each([
  [{ openFiles: 1_024, localPorts: 28_000 }, '4200 open files'],
  [{ openFiles: 20_000, localPorts: 2_599 }, '2600 local ports'],
])('with %j it is said what is too little', (limits, sentence) => {
  expect(findShortage(needs, limits)).toContain(sentence);
});

it('this machine tells its limits', () => {
  const { openFiles, localPorts } = readMachineLimits();
  expect(openFiles).toBeGreaterThan(0);
  expect(localPorts).toBeGreaterThan(0);
});
