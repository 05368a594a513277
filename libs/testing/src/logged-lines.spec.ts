import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

const ROOT = path.resolve(__dirname, '../../..');

const FAILING = `
const log = (level, event) => (globalThis.loggedLines ??= []).push(JSON.stringify({ level, event }) + '\\n');
it('passes', () => {
  log('error', 'of_another_test');
});
it('fails', () => {
  log('info', 'usual');
  log('warn', 'upstream_failed');
  expect(1).toBe(2);
});
`;

it('a failure ends with the warnings and errors that services logged during the test', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'farebox-logged-lines-'));
  try {
    await writeFile(path.join(folder, 'failing.test.js'), FAILING);
    const config = {
      rootDir: folder,
      testEnvironment: path.join(ROOT, 'jest.environment.cjs'),
      transform: {},
    };
    const args = [require.resolve('jest/bin/jest'), '--ci', '--config', JSON.stringify(config)];
    const printed = await new Promise<string>((resolve) => {
      execFile(process.execPath, args, { cwd: folder }, (_error, stdout, stderr) => {
        resolve(stdout + stderr);
      });
    });
    expect(printed).toContain('Logged meanwhile:');
    expect(printed).toContain('{"level":"warn","event":"upstream_failed"}');
    expect(printed).not.toMatch(/"event":"(usual|of_another_test)"/);
  } finally {
    await rm(folder, { recursive: true });
  }
});
