import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describeTally, readTally } from './tally';

it('sums what each run has added', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'farebox-test-'));
  const file = path.join(folder, 'tally.jsonl');
  writeFileSync(file, '{"passed":3,"failed":0,"skipped":1}\n{"passed":4,"failed":2,"skipped":0}\n');

  expect(readTally(file)).toEqual({ passed: 7, failed: 2, skipped: 1 });
  rmSync(folder, { recursive: true });
});

it('is nothing where nothing ran', () => {
  expect(readTally('/nonexistent/tally.jsonl')).toEqual({ passed: 0, failed: 0, skipped: 0 });
});

it('names what was skipped only where something was', () => {
  expect(describeTally({ passed: 7, failed: 2, skipped: 0 })).toBe('7 passed, 2 failed');
  expect(describeTally({ passed: 7, failed: 2, skipped: 1 })).toBe('7 passed, 2 failed, 1 skipped');
});
