import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { isAlive, workspaceRoot } from './network';

const guardScript = path.join(workspaceRoot(), 'tools/local-services/guard.cjs');
const children: ChildProcess[] = [];

function startVictim(): ChildProcess & { pid: number } {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  children.push(child);
  if (child.pid === undefined) throw new Error('not started');
  return Object.assign(child, { pid: child.pid });
}

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

it('ends the watched processes, and only those, when its parent is gone', async () => {
  const watched = startVictim();
  const forgotten = startVictim();
  const guard = spawn(process.execPath, [guardScript]);
  children.push(guard);
  const ended = once(watched, 'exit');

  guard.stdin.write(`watch ${String(forgotten.pid)} SIGTERM\nforget ${String(forgotten.pid)}\n`);
  guard.stdin.end(`watch ${String(watched.pid)} SIGINT\n`);

  expect(await ended).toEqual([null, 'SIGINT']);
  await once(guard, 'exit');
  expect(isAlive(forgotten.pid)).toBe(true);
});
