import { say } from '../bench';
import type { Contestant } from './contestants';
import { checkAnswer, type LoadRound, runLoad } from './load';
import type { Load } from './loads';
import type { FailingUpstream } from './outage';
import { serves } from './requests';

export interface Rounds {
  seconds: number;
  rounds: number;
  /** Seconds for which each contestant is warmed up before the first load. */
  warmUp: number;
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

const LONGEST_WARM_UP_MS = 2_000;
/**
 * Before the first load: enough requests that the measured code is compiled, as in a service that runs for weeks.
 * After 15 s of them V8's compiler still took a seventh of a gateway's processor time, after a minute a fiftieth. At
 * one connection, or with a few dozen streams, a round has too few requests for that.
 */
export const WARM_UP_SECONDS = 70;
const FIRST_WARM_UPS: readonly (readonly [load: Load, part: number])[] = [
  [{ name: 'warm-up, whole answers', connections: 64, stream: false }, 45 / 70],
  [{ name: 'warm-up, streams', connections: 256, stream: true }, 15 / 70],
  [{ name: 'warm-up, one connection', connections: 1, stream: false }, 10 / 70],
];

/** The warm-up before each load: not longer than a round. */
function warmUpMsOf({ seconds, warmUp }: Rounds): number {
  return Math.min(LONGEST_WARM_UP_MS, seconds * 500, warmUp * 1_000);
}

/** Approximate duration: warm-ups, and rounds including their last responses. */
export function minutesFor(
  contestants: readonly Contestant[],
  loads: readonly Load[],
  options: Rounds,
): string {
  const { seconds, rounds, warmUp } = options;
  const loadMs = warmUpMsOf(options) + rounds * (seconds * 1_000 + 300);
  const pairs = loads.flatMap((load) => contestants.filter((contestant) => serves(contestant, load))).length;
  const minutes = Math.ceil((contestants.length * warmUp * 1_000 + pairs * loadMs) / 60_000);
  return minutes === 1 ? 'a minute' : `${String(minutes)} minutes`;
}

/**
 * Each load on each contestant that serves it in turn, repeatedly, so that disturbances of the machine affect all of
 * them. Throws if a contestant does not pass on the upstream's response.
 */
export async function measureInTurn(
  contestants: readonly Contestant[],
  loads: readonly Load[],
  options: Rounds,
  failing: FailingUpstream | undefined,
): Promise<Result[]> {
  const serving = loads.map((load) => ({
    load,
    contestants: contestants.filter((contestant) => serves(contestant, load)),
  }));
  for (const { load, contestants: all } of serving) for (const one of all) await checkAnswer(one, load);
  await warmUp(contestants, options);
  const results: Result[] = [];
  for (const [number, { load, contestants: all }] of serving.entries()) {
    say(`${String(number + 1)} of ${String(loads.length)}: ${load.name}`);
    const measured = all.map(({ name }): Measured => ({ name, rounds: [] }));
    for (const contestant of all) await runLoad(contestant, load, warmUpMsOf(options));
    for (let round = 0; round < options.rounds; round++) {
      for (const [i, contestant] of all.entries())
        measured[i]?.rounds.push(await runRound(contestant, load, options.seconds * 1_000, failing));
      say(
        `   round ${String(round + 1)} of ${String(options.rounds)}: ${measured.map(toProgress).join(', ')}`,
      );
    }
    results.push({ load, measured });
  }
  return results;
}

function runRound(
  contestant: Contestant,
  load: Load,
  durationMs: number,
  failing: FailingUpstream | undefined,
): Promise<LoadRound> {
  return load.outage && failing
    ? failing.runRound(contestant, load, durationMs)
    : runLoad(contestant, load, durationMs);
}

/** Sends each contestant enough requests to have its code compiled. */
async function warmUp(contestants: readonly Contestant[], { warmUp: seconds }: Rounds): Promise<void> {
  for (const [load, part] of FIRST_WARM_UPS) {
    say(load.name);
    for (const contestant of contestants)
      if (serves(contestant, load)) await runLoad(contestant, load, seconds * part * 1_000);
  }
}

function toProgress({ name, rounds }: Measured): string {
  const last = rounds.at(-1);
  const failed = last && last.failed > 0 ? `, ${String(last.failed)} FAILED` : '';
  return `${name} ${last?.p50Ms.toFixed(2) ?? ''} ms${failed}`;
}

/** A line for each contestant and load with failed requests. Those of an outage are figures. */
export function failuresIn(results: readonly Result[]): string[] {
  return results
    .filter(({ load }) => !load.outage)
    .flatMap(({ load, measured }) =>
      measured.flatMap(({ name, rounds }) => {
        const failed = rounds.reduce((sum, round) => sum + round.failed, 0);
        const first = rounds.find(({ failure }) => failure !== undefined)?.failure ?? '';
        return failed === 0 ? [] : [`${name}, ${load.name}: ${String(failed)} failed, first with: ${first}`];
      }),
    );
}
