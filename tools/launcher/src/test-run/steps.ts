export type Nx = 'run-many' | 'affected';

/** What `npm test` was asked for. */
export interface TestRun {
  nx: Nx;
  targets: readonly string[];
  /** All where it is empty. */
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

/** The commands of a run, in order. */
export function stepsOf(run: TestRun): Step[] {
  if (run.command.length > 0) return [{ name: run.command.join(' '), command: run.command }];
  const projects = run.projects.length > 0 ? ['-p', run.projects.join(',')] : [];
  const nx = ['nx', run.nx, '-t', ...run.targets, ...projects, ...run.revisions, '--outputStyle=static'];
  const checks = { name: `nx ${run.nx} -t ${run.targets.join(' ')}`, command: nx };
  const format = { name: 'prettier --check', command: ['prettier', '--check', '--log-level=warn', '.'] };
  return run.projects.length > 0 ? [checks] : [format, checks];
}

/** Whether a run in which no test ran is a failure: it is one unless it was asked for something narrower. */
export function mustRunTests(run: TestRun): boolean {
  return run.nx === 'run-many' && run.command.length === 0 && run.targets.includes('test');
}
