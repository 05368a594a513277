import { randomInt } from 'node:crypto';
import fc from 'fast-check';

/** Several series of runs side by side, each with a seed of its own. */
export interface LanesOptions<Run> {
  arbitrary: fc.Arbitrary<Run>;
  play: (run: Run) => Promise<void>;
  runs: number;
  /** The first lane's; the others count on from it. A failed lane's seed, given here, is the first lane's. */
  seed: number;
  /** Of a failed run, as fast-check names it: only that one is played. */
  path: string | undefined;
}

const LANES = 8;
/** A failed run is made smaller for so long. One that fails only now and then would take for ever. */
const MAX_SHRINK_MS = 60_000;
const SEEDS = 0x7fff_fff0;

export function randomSeed(): number {
  return randomInt(SEEDS);
}

/** Plays all lanes until one fails. Answers with fast-check's report of that one. */
export async function playLanes<Run>({
  arbitrary,
  play,
  runs,
  seed,
  path,
}: LanesOptions<Run>): Promise<string | undefined> {
  const lanes = path === undefined ? Math.min(LANES, runs) : 1;
  const playIn = untilFirstFailure(play);
  const reports = await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      const details = await fc.check(fc.asyncProperty(arbitrary, playIn(lane)), {
        seed: seed + lane,
        numRuns: Math.floor(runs / lanes) + (lane < runs % lanes ? 1 : 0),
        ...(path !== undefined && { path }),
        includeErrorInReport: true,
      });
      return details.failed ? toReport(details) : undefined;
    }),
  );
  return reports.find((report) => report !== undefined);
}

/** Once a lane has failed it goes on alone, to make its run smaller: one report is enough. */
function untilFirstFailure<Run>(
  play: (run: Run) => Promise<void>,
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

async function toReport<Run>(details: fc.RunDetails<[Run]>): Promise<string> {
  const { seed, counterexamplePath } = details;
  const report = await fc.asyncDefaultReportMessage(details);
  return `${report ?? ''}\nAgain: FAREBOX_TEST_SEED=${String(seed)} FAREBOX_TEST_PATH=${counterexamplePath ?? ''}`;
}
