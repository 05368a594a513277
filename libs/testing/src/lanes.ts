import { randomInt } from 'node:crypto';
import type { Arbitrary, RunDetails } from 'fast-check';

/** Several series of property runs side by side, each with its own seed. */
export interface LanesOptions<Run> {
  arbitrary: Arbitrary<Run>;
  play: (run: Run) => Promise<void>;
  runs: number;
  /** Number of concurrent runs. */
  lanes: number;
  /** The first lane's seed; the others count up from it. To repeat a failed lane, pass its seed here. */
  seed: number;
  /** The path of a failed run, as fast-check names it: only that run is repeated. */
  path: string | undefined;
}

/** Time limit for shrinking a failed run. A flaky one would otherwise take forever. */
const MAX_SHRINK_MS = 60_000;
const SEEDS = 0x7fff_fff0;

type FastCheck = Awaited<ReturnType<typeof fastCheck>>;

/** Loaded on use: almost every test file imports this library, and few have properties. */
async function fastCheck() {
  return (await import('fast-check')).default;
}

export function randomSeed(): number {
  return randomInt(SEEDS);
}

/** Runs all lanes until one fails. Returns fast-check's report of that one. */
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

/** After a failure, only the failed lane continues, to shrink its run: one report is enough. */
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

/**
 * A number from the environment of the test run, e.g. `FAREBOX_TEST_SEED`; undefined if it is not set. Throws
 * if it is not a number.
 */
export function numberFromEnvironment(name: string): number | undefined {
  const value = process.env[name];
  if (value === undefined || value === '') return undefined;
  if (!/^\d+$/.test(value)) throw new Error(`${name} is not a whole number: ${value}`);
  return Number(value);
}
