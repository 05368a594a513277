import { randomInt } from 'node:crypto';
import type { Arbitrary, RunDetails } from 'fast-check';

/** Several series of runs side by side, each with a seed of its own. */
export interface LanesOptions<Run> {
  arbitrary: Arbitrary<Run>;
  play: (run: Run) => Promise<void>;
  runs: number;
  /** How many runs are under way at once. */
  lanes: number;
  /** The first lane's; the others count on from it. A failed lane's seed, given here, is the first lane's. */
  seed: number;
  /** Of a failed run, as fast-check names it: only that one is played. */
  path: string | undefined;
}

/** A failed run is made smaller for so long. One that fails only now and then would take for ever. */
const MAX_SHRINK_MS = 60_000;
const SEEDS = 0x7fff_fff0;

type FastCheck = Awaited<ReturnType<typeof fastCheck>>;

/** Loaded where it is used: this library is of almost every test file, and few of them have properties. */
async function fastCheck() {
  return (await import('fast-check')).default;
}

export function randomSeed(): number {
  return randomInt(SEEDS);
}

/** Plays all lanes until one fails. Answers with fast-check's report of that one. */
export async function playLanes<Run>({
  arbitrary,
  play,
  runs,
  lanes: mostLanes,
  seed,
  path,
}: LanesOptions<Run>): Promise<string | undefined> {
  const fc = await fastCheck();
  const lanes = path === undefined ? Math.min(mostLanes, runs) : 1;
  const playIn = untilFirstFailure(play, fc);
  const reports = await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      const details = await fc.check(fc.asyncProperty(arbitrary, playIn(lane)), {
        seed: seed + lane,
        numRuns: Math.floor(runs / lanes) + (lane < runs % lanes ? 1 : 0),
        ...(path !== undefined && { path }),
        includeErrorInReport: true,
      });
      return details.failed ? toReport(details, fc) : undefined;
    }),
  );
  return reports.find((report) => report !== undefined);
}

/** Once a lane has failed it goes on alone, to make its run smaller: one report is enough. */
function untilFirstFailure<Run>(
  play: (run: Run) => Promise<void>,
  fc: FastCheck,
): (lane: number) => (run: Run) => Promise<void> {
  let failed: { lane: number; smallerUntilMs: number } | undefined;
  return (lane) => async (run) => {
    if (failed && (failed.lane !== lane || Date.now() > failed.smallerUntilMs)) return;
    try {
      await play(run);
    } catch (error) {
      if (fc.PreconditionFailure.isFailure(error)) throw error;
      failed ??= { lane, smallerUntilMs: Date.now() + MAX_SHRINK_MS };
      if (failed.lane === lane) throw error;
    }
  };
}

async function toReport<Run>(details: RunDetails<[Run]>, fc: FastCheck): Promise<string> {
  const { seed, counterexamplePath } = details;
  const report = await fc.asyncDefaultReportMessage(details);
  return `${report ?? ''}\nAgain: FAREBOX_TEST_SEED=${String(seed)} FAREBOX_TEST_PATH=${counterexamplePath ?? ''}`;
}

/** A number that a test run is given, e.g. `FAREBOX_TEST_SEED`; undefined if it is not. Throws if it is none. */
export function numberFromEnvironment(name: string): number | undefined {
  const value = process.env[name];
  if (value === undefined || value === '') return undefined;
  if (!/^\d+$/.test(value)) throw new Error(`${name} is not a whole number: ${value}`);
  return Number(value);
}
