import { median } from '../bench';
import type { LoadRound } from './load';
import type { Measured, Result } from './rounds';

export type Value = (round: LoadRound) => number;

export function ownCpu({ cpuMsPer1000 }: LoadRound): number {
  return cpuMsPer1000;
}

/** Including the databases behind it, as far as they are known. */
export function allCpu({
  cpuMsPer1000,
  databasesCpuMsPer1000: { postgres = 0, redis = 0 },
}: LoadRound): number {
  return cpuMsPer1000 + postgres + redis;
}

/** Round by round, so that disturbances of the machine affect both; the median of them. */
export function ratio(one: Measured, other: Measured, value: Value): number {
  return median(
    one.rounds.map((round, i) => {
      const beside = other.rounds[i];
      return beside ? value(round) / value(beside) : Number.NaN;
    }),
  );
}

/** The median over the rounds. */
export function of({ rounds }: Measured, value: Value): number {
  return median(rounds.map(value));
}

/** A contestant's part of a result. */
export function named({ measured }: Result, name: string): Measured | undefined {
  return measured.find((one) => one.name === name);
}
