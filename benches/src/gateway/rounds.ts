import { say } from '../bench';
import type { Contestant } from './contestants';
import { checkAnswer, type Load, type LoadRound, runLoad } from './load';

export interface Rounds {
  seconds: number;
  rounds: number;
}

export interface Measured {
  name: string;
  rounds: LoadRound[];
}

export interface Result {
  load: Load;
  /** In the order of the contestants. */
  measured: Measured[];
}

const WARM_UP_MS = 2_000;
/**
 * Before the first load: enough requests that the measured code is compiled, as in a service that runs for weeks.
 * After 15 s of them V8's compiler still took a seventh of a gateway's processor time, after a minute a fiftieth. At
 * one connection, or with a few dozen streams, a round has too few requests for that.
 */
const FIRST_WARM_UPS: readonly (readonly [load: Load, forMs: number])[] = [
  [{ name: 'warm-up, whole answers', connections: 64, stream: false }, 45_000],
  [{ name: 'warm-up, streams', connections: 256, stream: true }, 15_000],
  [{ name: 'warm-up, one connection', connections: 1, stream: false }, 10_000],
];

/** Approximate duration: warm-ups, and rounds including their last responses. */
export function minutesFor(contestants: number, loads: number, { seconds, rounds }: Rounds): string {
  const firstMs = FIRST_WARM_UPS.reduce((sum, [, forMs]) => sum + forMs, 0);
  const loadMs = WARM_UP_MS + rounds * (seconds * 1_000 + 300);
  const minutes = Math.ceil((contestants * (firstMs + loads * loadMs)) / 60_000);
  return minutes === 1 ? 'a minute' : `${String(minutes)} minutes`;
}

/**
 * Each load on each contestant in turn, repeatedly, so that disturbances of the machine affect all of them. Throws if
 * a contestant does not pass on the upstream's response.
 */
export async function measureInTurn(
  contestants: readonly Contestant[],
  loads: readonly Load[],
  { rounds, seconds }: Rounds,
): Promise<Result[]> {
  for (const load of loads) for (const contestant of contestants) await checkAnswer(contestant, load);
  await warmUp(contestants);
  const results: Result[] = [];
  for (const [number, load] of loads.entries()) {
    say(`${String(number + 1)} of ${String(loads.length)}: ${load.name}`);
    const measured = contestants.map(({ name }): Measured => ({ name, rounds: [] }));
    for (const contestant of contestants) await runLoad(contestant, load, WARM_UP_MS);
    for (let round = 0; round < rounds; round++) {
      for (const [i, contestant] of contestants.entries())
        measured[i]?.rounds.push(await runLoad(contestant, load, seconds * 1_000));
      say(`   round ${String(round + 1)} of ${String(rounds)}: ${measured.map(toProgress).join(', ')}`);
    }
    results.push({ load, measured });
  }
  return results;
}

/** Sends each contestant enough requests to have its code compiled. */
export async function warmUp(contestants: readonly Contestant[]): Promise<void> {
  for (const [load, forMs] of FIRST_WARM_UPS) {
    say(load.name);
    for (const contestant of contestants) await runLoad(contestant, load, forMs);
  }
}

function toProgress({ name, rounds }: Measured): string {
  const last = rounds.at(-1);
  const failed = last && last.failed > 0 ? `, ${String(last.failed)} FAILED` : '';
  return `${name} ${last?.p50Ms.toFixed(2) ?? ''} ms${failed}`;
}

/** A line for each contestant and load with failed requests. */
export function failuresIn(results: readonly Result[]): string[] {
  return results.flatMap(({ load, measured }) =>
    measured.flatMap(({ name, rounds }) => {
      const failed = rounds.reduce((sum, round) => sum + round.failed, 0);
      const first = rounds.find(({ failure }) => failure !== undefined)?.failure ?? '';
      return failed === 0 ? [] : [`${name}, ${load.name}: ${String(failed)} failed, first with: ${first}`];
    }),
  );
}
