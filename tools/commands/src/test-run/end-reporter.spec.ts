import { spawnSync } from 'node:child_process';
import path from 'node:path';

const reporter = path.join(__dirname, 'end-reporter.cjs');

function runLeaving(open: string) {
  const script = `
    const EndReporter = require(${JSON.stringify(reporter)});
    const reporter = new EndReporter({}, { waitMs: 50 });
    ${open};
    setImmediate(() => {
      reporter.onTestFileResult({ path: ${JSON.stringify(__filename)} });
      reporter.onRunComplete();
    });`;
  return spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
}

it('ends test processes that leave something open, as failed, and names it', () => {
  const { status, stderr } = runLeaving('setInterval(() => {}, 1000)');
  expect(status).toBe(1);
  expect(stderr).toMatch(/have left something open.*: Timeout/);
});

it('names the port of an open server, and the test file', () => {
  const { stderr } = runLeaving(`require('node:net').createServer().listen(0, '127.0.0.1')`);
  expect(stderr).toMatch(
    /^ {2}Server on port \d+, since tools\/commands\/src\/test-run\/end-reporter\.spec\.ts$/m,
  );
});

it('names the command of a process that still runs', () => {
  const { stderr } = runLeaving(`require('node:child_process').spawn('sleep', ['2'])`);
  expect(stderr).toMatch(/^ {2}ChildProcess \d+: sleep 2, since /m);
});

it('ignores other processes', () => {
  expect(runLeaving('')).toMatchObject({ status: 0, stderr: '' });
});
