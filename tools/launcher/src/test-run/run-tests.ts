import { workspaceRoot } from '@farebox/local-services';
import { listenForInterruption } from '../start/interruption';
import { testEnvironment } from './environment';
import { runCommand } from './run-command';
import { startTestServices, type TestServices } from './services';
import { mustRunTests, stepsOf, type TestRun } from './steps';
import { describeFailure, describeTally, readTally } from './tally';

export type { TestRun } from './steps';

const INTERRUPTED = 130;
/** Of the checks: whatever stands still in them, a run ends. A quiet machine with two cores takes twenty minutes. */
const LONGEST_CHECKS_MINUTES = 80;

/** `npm test`, once everything is installed. Resolves to the exit code, with nothing left running or on disk. */
export async function runTests(run: TestRun): Promise<number> {
  const { signal: interrupt } = listenForInterruption();
  console.log('Starting PostgreSQL and Redis for the tests');
  const services = await startTestServices(console.log);
  try {
    const failed = await failedSteps(run, services, interrupt);
    if (interrupt.aborted) return INTERRUPTED;
    return conclude(run, services, failed);
  } finally {
    await services.remove();
  }
}

async function failedSteps(run: TestRun, services: TestServices, interrupt: AbortSignal): Promise<string[]> {
  const root = workspaceRoot();
  const env = testEnvironment(process.env, root, services.env);
  const isChecks = run.command.length === 0;
  const limit = isChecks
    ? AbortSignal.timeout(LONGEST_CHECKS_MINUTES * 60_000)
    : new AbortController().signal;
  const ended = AbortSignal.any([interrupt, limit]);
  const failed: string[] = [];
  for (const step of stepsOf(run)) {
    const [program = '', ...args] = step.command;
    const code = await runCommand({ program, args, env, cwd: root }, ended);
    if (code !== 0) failed.push(step.name);
  }
  if (limit.aborted) failed.push(`ended after ${String(LONGEST_CHECKS_MINUTES)} minutes`);
  return failed;
}

/** The failures once more, at the end, where they are found; the last line printed is the sum of all test runs. */
function conclude(run: TestRun, services: TestServices, failed: readonly string[]): number {
  const tally = readTally(services.tallyFile);
  for (const failure of tally.failures) console.log(describeFailure(failure));
  const noTestRan = tally.passed + tally.failed === 0;
  for (const name of failed) console.log(`Failed: ${name}`);
  if (noTestRan && mustRunTests(run)) console.log('Failed: no test has run.');
  console.log(describeTally(tally));
  return failed.length > 0 || tally.failed > 0 || (noTestRan && mustRunTests(run)) ? 1 : 0;
}
