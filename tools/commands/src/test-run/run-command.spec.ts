import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { commandLineOf } from '@farebox/local-services';
import { runCommand } from './run-command';

const never = new AbortController().signal;
const node = (script: string) => ({
  program: process.execPath,
  args: ['-e', script],
  env: process.env,
  cwd: '/',
});

it('returns the exit code of the command', async () => {
  expect(await runCommand(node('process.exit(0)'), never)).toBe(0);
  expect(await runCommand(node('process.exit(7)'), never)).toBe(7);
});

it('fails if the command cannot be run', async () => {
  expect(await runCommand({ ...node(''), program: '/nonexistent/program' }, never)).toBe(1);
});

it('ends the command and its children when it is interrupted', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'farebox-test-'));
  const pidFile = path.join(folder, 'pid');
  const interruption = new AbortController();
  const script = `
    const child = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    require('node:fs').writeFileSync(${JSON.stringify(pidFile)}, String(child.pid));
    setInterval(() => {}, 1000);`;

  const running = runCommand(node(script), interruption.signal);
  const pid = await readWhenWritten(pidFile);
  interruption.abort();

  expect(await running).toBe(1);
  while (commandLineOf(pid) !== undefined) await sleep(10);
  rmSync(folder, { recursive: true });
});

async function readWhenWritten(file: string): Promise<number> {
  for (;;) {
    try {
      const pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
      if (pid > 0) return pid;
    } catch {
      // not written yet
    }
    await sleep(10);
  }
}
