import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { workspaceRoot } from '@farebox/local-services';

const tools = path.join(workspaceRoot(), 'tools');

function run(...args: string[]): { code: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return { code: status, out: stdout.trim(), err: stderr.trim() };
}

it.each([
  ['start.mjs', 'npm start knows no option "--rest": see npm start -- --help.'],
  ['test.mjs', "npm test: Unknown option '--rest'. See npm test -- --help."],
])('%s answers an unknown option with one sentence', (script, sentence) => {
  expect(run(path.join(tools, script), '--rest')).toEqual({ code: 1, out: '', err: sentence });
});

it.each(['start.mjs', 'test.mjs'])('%s --help shows the usage', (script) => {
  expect(run(path.join(tools, script), '--help')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^npm /) as string,
  });
});

it.each([
  ['v18.20.0', 'Farebox needs Node 20.19 or newer; this is v18.20.0.'],
  ['v20.18.3', 'Farebox needs Node 20.19 or newer; this is v20.18.3.'],
  ['v21.7.0', 'Farebox needs Node 20.19, 22.12 or 24 or newer; this is v21.7.0.'],
  ['v20.19.0', ''],
  ['v22.12.0', ''],
  ['v26.0.0', ''],
])('Node %s: "%s"', (version, sentence) => {
  const script = `
    Object.defineProperty(process, 'version', { value: '${version}' });
    import('${path.join(tools, 'set-up/node-version.mjs')}').then((module) => module.requireNode());`;

  expect(run('-e', script)).toEqual({ code: sentence === '' ? 0 : 1, out: '', err: sentence });
});
