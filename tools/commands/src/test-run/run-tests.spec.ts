import { mustRunTests, stepsOf, type TestRun } from './run-tests';

const everything: TestRun = {
  nx: 'run-many',
  targets: ['lint', 'typecheck', 'test', 'build'],
  projects: [],
  revisions: [],
  command: [],
};

const commandsOf = (run: TestRun): string[] => stepsOf(run).map((step) => step.command.join(' '));

it('checks format, lint and types once, and the tests and the build of every project', () => {
  expect(commandsOf(everything)).toEqual([
    'nx run-many -t check-format check-lint check-types test build --outputStyle=static',
  ]);
  expect(mustRunTests(everything)).toBe(true);
});

it('checks some projects only', () => {
  expect(commandsOf({ ...everything, targets: ['test'], projects: ['money', 'ledger'] })).toEqual([
    'nx run-many -t test -p money,ledger --outputStyle=static',
  ]);
});

it('checks the projects affected by a change, which may have no test', () => {
  const affected: TestRun = { ...everything, nx: 'affected', revisions: ['--base=main', '--head=HEAD'] };

  expect(commandsOf(affected)).toEqual([
    'prettier --check --log-level=warn .',
    'nx affected -t lint typecheck test build --base=main --head=HEAD --outputStyle=static',
  ]);
  expect(mustRunTests(affected)).toBe(false);
});

it('runs another command instead', () => {
  const command = ['npx', 'jest', '-c', 'x'];

  expect(stepsOf({ ...everything, command })).toEqual([{ name: 'npx jest -c x', command }]);
  expect(mustRunTests({ ...everything, command })).toBe(false);
});
