import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describeFailure, describeTally, readTally } from './tally';

it('sums the counts of all runs', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'farebox-test-'));
  const file = path.join(folder, 'tally.jsonl');
  const failures = [{ file: 'a.spec.ts', test: 'does it', message: 'it did not' }];
  const runs = [
    { passed: 3, failed: 0, skipped: 1, failures: [] },
    { passed: 4, failed: 1, skipped: 0, failures },
  ];
  writeFileSync(file, runs.map((run) => `${JSON.stringify(run)}\n`).join(''));

  expect(readTally(file)).toEqual({ passed: 7, failed: 1, skipped: 1, failures });
  rmSync(folder, { recursive: true });
});

it('is empty without any run', () => {
  expect(readTally('/nonexistent/tally.jsonl')).toEqual({ passed: 0, failed: 0, skipped: 0, failures: [] });
});

it('names skipped tests only if there are any', () => {
  expect(describeTally({ passed: 7, failed: 2, skipped: 0, failures: [] })).toBe('7 passed, 2 failed');
  expect(describeTally({ passed: 7, failed: 2, skipped: 1, failures: [] })).toBe(
    '7 passed, 2 failed, 1 skipped',
  );
});

it('repeats a failure without colours, and shortens a long one', () => {
  const message = `\u001b[31mexpected\u001b[39m\n${'line\n'.repeat(50)}`;

  const [title, first, ...others] = describeFailure({ file: 'a.spec.ts', test: 'does it', message }).split(
    '\n',
  );

  expect([title, first]).toEqual(['Failed: a.spec.ts: does it', '  expected']);
  expect(others).toHaveLength(40);
  expect(others.at(-1)).toBe('  … 12 more lines');
});

it('leaves out the frames of the test runner', () => {
  const message =
    'expected\n    at check (/a.spec.ts:1:2)\n    at run (/b/node_modules/jest-circus/run.js:3:4)';

  expect(describeFailure({ file: 'a.spec.ts', test: 'does it', message })).toBe(
    'Failed: a.spec.ts: does it\n  expected\n      at check (/a.spec.ts:1:2)',
  );
});

it('names a file whose tests could not be run', () => {
  const failure = { file: 'a.spec.ts', test: '', message: 'does not parse' };

  expect(describeFailure(failure)).toBe('Failed: a.spec.ts\n  does not parse');
});
