import type { Finding } from '../audit/evidence';
import type { Sample } from './samples';

/** A measure that must be flat once the service is warm. */
interface Flat {
  name: string;
  of: (sample: Sample) => number;
  unit: string;
  /** Growth that is no leak, besides a fifth. */
  slack: number;
}

const FLAT: readonly Flat[] = [
  { name: 'memory of the gateway', of: ({ memoryMiB }) => memoryMiB, unit: 'MiB', slack: 24 },
  { name: 'open files of the gateway', of: ({ files }) => files, unit: 'files', slack: 10 },
  { name: 'connections to PostgreSQL', of: ({ connections }) => connections, unit: 'connections', slack: 5 },
  { name: 'tables that are changed', of: ({ changedMiB }) => changedMiB, unit: 'MiB', slack: 8 },
];
const SHARE = 1.2;
/** Fewer say nothing. */
const LEAST_SAMPLES = 9;

/** Compares the last third of the samples with the one before: what leaks grows in every part of a run. */
export function findGrowth(samples: readonly Sample[]): Finding[] {
  if (samples.length < LEAST_SAMPLES) return [];
  const third = Math.floor(samples.length / 3);
  const [before, after] = [samples.slice(-2 * third, -third), samples.slice(-third)];
  return FLAT.flatMap(({ name, of, unit, slack }) => {
    const [was, is] = [medianOf(before.map(of)), medianOf(after.map(of))];
    return is > was * SHARE + slack
      ? [`${name} grew from ${was.toFixed(0)} to ${is.toFixed(0)} ${unit} in the last third of the run`]
      : [];
  });
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
