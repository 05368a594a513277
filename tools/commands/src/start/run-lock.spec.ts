import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { commandLineOf } from '@farebox/local-services';
import { takeRunLock } from './state-folder';

let folder: string;
let lockFile: string;
let other: ChildProcess | undefined;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'farebox-test-'));
  lockFile = path.join(folder, 'lock');
});

afterEach(() => {
  other?.kill();
  rmSync(folder, { recursive: true });
});

it('is gone when it is released', () => {
  const unlock = takeRunLock(lockFile);
  expect(existsSync(lockFile)).toBe(true);

  unlock();

  expect(existsSync(lockFile)).toBe(false);
});

it('refuses a second one while the first process runs, and names it', async () => {
  const first = spawn(process.execPath, ['-e', 'console.log("up"); setInterval(() => {}, 1000)']);
  other = first;
  await once(first.stdout, 'data'); // until then its command line may still be this process's own
  const pid = first.pid ?? 0;
  writeFileSync(lockFile, JSON.stringify({ pid, command: commandLineOf(pid) }));

  expect(() => takeRunLock(lockFile)).toThrow(
    `Farebox already runs from this checkout (process ${String(pid)}): stop that one first.`,
  );
});

it.each([
  ['a process that is gone', JSON.stringify({ pid: 2 ** 22 - 1, command: 'node tools/start.mjs' })],
  ['another program that got the same process id', JSON.stringify({ pid: process.ppid, command: 'node x' })],
  ['a crash while it was written', '{"pid":'],
])('takes over the lock of %s', (_what, content) => {
  writeFileSync(lockFile, content);

  expect(() => takeRunLock(lockFile)).not.toThrow();
});
