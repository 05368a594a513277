import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { workspaceRoot } from '@farebox/local-services';

/** In place of the services: says what it gets, and ends. */
const CHILD = `
import { endWithNpm } from ${JSON.stringify(pathToFileURL(path.join(workspaceRoot(), 'tools/commands/processes.mjs')).href)};
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => {
    console.log('ended by ' + signal);
    process.exit(0);
  });
setInterval(() => undefined, 1_000);
endWithNpm();
console.log('ready');`;

let folder: string;
let npm: ChildProcess | undefined;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'farebox-npm-'));
});
afterEach(() => {
  npm?.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

/** `npm start` with the script of this checkout, but for the command that it runs. */
async function npmStart(): Promise<{ npm: ChildProcess; lines: Interface }> {
  const { scripts } = JSON.parse(readFileSync(path.join(workspaceRoot(), 'package.json'), 'utf8')) as {
    scripts: { start: string };
  };
  const start = scripts.start.replace('tools/commands/main.mjs', 'child.mjs');
  writeFileSync(path.join(folder, 'child.mjs'), CHILD);
  writeFileSync(
    path.join(folder, 'package.json'),
    JSON.stringify({ name: 'x', version: '1.0.0', scripts: { start } }),
  );
  // In a process group of its own: the signal reaches npm alone.
  const started = spawn('npm', ['start', '--silent'], {
    cwd: folder,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  npm = started;
  const lines = createInterface(started.stdout);
  expect(await once(lines, 'line')).toEqual(['ready']);
  return { npm: started, lines };
}

it.each(['SIGINT', 'SIGTERM'] as const)('%s to npm alone ends npm start', async (signal) => {
  const { npm: started, lines } = await npmStart();
  const said = once(lines, 'line');
  const exited = once(started, 'exit');
  started.kill(signal);
  expect(await said).toEqual([`ended by ${signal}`]);
  expect(await exited).toEqual([0, null]);
});

it('npm start ends when npm is killed', async () => {
  const { npm: started, lines } = await npmStart();
  const said = once(lines, 'line');
  started.kill('SIGKILL');
  expect(await said).toEqual(['ended by SIGTERM']);
});
