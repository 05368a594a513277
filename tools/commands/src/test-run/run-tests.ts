import path from 'node:path';
import { workspaceRoot } from '@farebox/local-services';
import { listenForInterruption } from '../start/state-folder';
import { runCommand } from './run-command';
import { describeFailure, describeTally, readTally } from './tally';
import { startTestServices, type TestServices } from './test-services';

const INTERRUPTED = 130;
/**
 * Time limit of the checks: a hanging check does not hang the run. A quiet machine with two cores takes twenty
 * minutes.
 */
const LONGEST_CHECKS_MINUTES = 110;

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

/** The failures are repeated at the end, where people look; the last line is the sum of all test runs. */
function conclude(run: TestRun, services: TestServices, failed: readonly string[]): number {
  const tally = readTally(services.tallyFile);
  for (const failure of tally.failures) console.log(describeFailure(failure));
  const noTestRan = tally.passed + tally.failed === 0;
  for (const name of failed) console.log(`Failed: ${name}`);
  if (noTestRan && mustRunTests(run)) console.log('Failed: no test has run.');
  console.log(describeTally(tally));
  return failed.length > 0 || tally.failed > 0 || (noTestRan && mustRunTests(run)) ? 1 : 0;
}

export type Nx = 'run-many' | 'affected';

/** The arguments of `npm test`. */
export interface TestRun {
  nx: Nx;
  targets: readonly string[];
  /** All if it is empty. */
  projects: readonly string[];
  /** `--base` and `--head` of `nx affected`. */
  revisions: readonly string[];
  /** A command to run with the services up, in place of the checks. */
  command: readonly string[];
}

export interface Step {
  name: string;
  command: readonly string[];
}

/**
 * One program each checks format, lint and types of the whole workspace: a program per project would read the same
 * libraries thirty times, which took a third of a run. They are targets of this project.
 */
const WHOLE_WORKSPACE: Readonly<Record<string, string>> = { lint: 'check-lint', typecheck: 'check-types' };

/** The commands of a run, in order. */
export function stepsOf(run: TestRun): Step[] {
  if (run.command.length > 0) return [{ name: run.command.join(' '), command: run.command }];
  const isWhole = run.nx === 'run-many' && run.projects.length === 0;
  const targets = isWhole
    ? ['check-format', ...run.targets.map((target) => WHOLE_WORKSPACE[target] ?? target)]
    : run.targets;
  const projects = run.projects.length > 0 ? ['-p', run.projects.join(',')] : [];
  const nx = ['nx', run.nx, '-t', ...targets, ...projects, ...run.revisions, '--outputStyle=static'];
  const checks = { name: `nx ${run.nx} -t ${targets.join(' ')}`, command: nx };
  const format = { name: 'prettier --check', command: ['prettier', '--check', '--log-level=warn', '.'] };
  return run.nx === 'affected' ? [format, checks] : [checks];
}

/** Whether a run without any tests is a failure: it is, unless the arguments select a part. */
export function mustRunTests(run: TestRun): boolean {
  return run.nx === 'run-many' && run.command.length === 0 && run.targets.includes('test');
}

/**
 * The environment of the checks: settings of a local Farebox in this shell do not reach the tests, which find their
 * services only by `given`. Settings for the tests themselves do: a seed, or a number of runs.
 */
export function testEnvironment(
  own: NodeJS.ProcessEnv,
  root: string,
  given: Record<string, string>,
): NodeJS.ProcessEnv {
  const kept = Object.entries(own).filter(
    ([name]) =>
      name.startsWith('FAREBOX_TEST_') ||
      (!name.startsWith('FAREBOX_') && name !== 'DATABASE_URL' && name !== 'REDIS_URL'),
  );
  const programs = path.join(root, 'node_modules/.bin');
  return {
    ...Object.fromEntries(kept),
    PATH: [programs, path.dirname(process.execPath), own.PATH ?? ''].join(path.delimiter),
    NX_DAEMON: 'false',
    NX_ISOLATE_PLUGINS: 'false',
    NX_TUI: 'false',
    ...given,
  };
}
