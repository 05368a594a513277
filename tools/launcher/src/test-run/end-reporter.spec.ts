import { spawnSync } from 'node:child_process';
import path from 'node:path';

const reporter = path.join(__dirname, '../../../test-tally/end-reporter.cjs');

function runLeaving(open: string) {
  const script = `
    const EndReporter = require(${JSON.stringify(reporter)});
    ${open};
    new EndReporter({}, { waitMs: 50 }).onRunComplete();`;
  return spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
}

it('ends test processes that leave something open, as failed, and names it', () => {
  const { status, stderr } = runLeaving('setInterval(() => {}, 1000)');
  expect(status).toBe(1);
  expect(stderr).toMatch(/have left something open.*: Timeout/);
});

it('leaves others alone', () => {
  expect(runLeaving('')).toMatchObject({ status: 0, stderr: '' });
});
