import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/** Runs `body` with a progress that repeats its steps, on a clock that shows 12.3 s; returns its lines. */
function linesOf(body: string): string[] {
  const url = JSON.stringify(pathToFileURL(path.join(__dirname, '../progress.mjs')).href);
  const program = `
    const { setTimeout: sleep } = require('node:timers/promises');
    import(${url}).then(async ({ createProgress }) => {
      const progress = createProgress(console.log, { everyMs: 20, now: () => 12_345 });
      ${body}
    });`;
  const { stdout, stderr } = spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout.trim().split('\n');
}

it('shows a step with the seconds since the command began, and repeats it while it lasts', () => {
  const [first, ...others] = linesOf(`progress.begin('Building'); await sleep(150); progress.end();`);
  expect(first).toBe('[ 12 s] Building');
  expect(others.length).toBeGreaterThan(0);
  expect(new Set(others)).toEqual(new Set(['[ 12 s] still: Building']));
});

it('shows the rest of a long step', () => {
  const lines = linesOf(`
    let left = ['gateway', 'worker'];
    progress.begin('Starting', () => left.join(', '));
    await sleep(100);
    left = ['worker'];
    await sleep(100);
    progress.end();`);
  expect([...new Set(lines)]).toEqual([
    '[ 12 s] Starting',
    '[ 12 s] still: gateway, worker',
    '[ 12 s] still: worker',
  ]);
});

it('is silent about a step that is over, and keeps no process alive', () => {
  expect(linesOf(`progress.begin('One'); progress.end(); progress.say('Done'); await sleep(100);`)).toEqual([
    '[ 12 s] One',
    '[ 12 s] Done',
  ]);
  expect(linesOf(`progress.begin('Two');`)).toEqual(['[ 12 s] Two']);
});
