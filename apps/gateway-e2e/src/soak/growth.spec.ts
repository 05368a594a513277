import { findGrowth } from './growth';
import type { Sample } from './samples';

const aSample = (more: Partial<Sample> = {}): Sample => ({
  ...{ atMs: 0, memoryMiB: 200, files: 60, connections: 40, changedMiB: 3, mibPerThousandCharges: 1 },
  ...more,
});
const samplesOf = (count: number, more: (number: number) => Partial<Sample>): Sample[] =>
  Array.from({ length: count }, (_, number) => aSample(more(number)));

it('a service that has warmed up and goes up and down is flat', () => {
  const warm = samplesOf(30, (number) => ({ memoryMiB: (number < 10 ? 120 : 230) + (number % 5) * 10 }));
  expect(findGrowth(warm)).toEqual([]);
});

it.each<[string, (number: number) => Partial<Sample>]>([
  ['memory of the gateway', (number) => ({ memoryMiB: 200 + 10 * number })],
  ['open files of the gateway', (number) => ({ files: 60 + 4 * number })],
  ['connections to PostgreSQL', (number) => ({ connections: 40 + 2 * number })],
  ['tables that are changed', (number) => ({ changedMiB: 3 + 2 * number })],
])('%s that grows all the time is found', (name, more) => {
  expect(findGrowth(samplesOf(30, more))).toEqual([expect.stringContaining(name)]);
});

it('one high sample is no growth, and too few samples say nothing', () => {
  expect(findGrowth(samplesOf(30, (number) => ({ files: number === 25 ? 5_000 : 60 })))).toEqual([]);
  expect(findGrowth(samplesOf(8, (number) => ({ files: 60 * number })))).toEqual([]);
});
