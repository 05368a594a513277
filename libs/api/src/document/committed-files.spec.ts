import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(__dirname, '../../../..');

const run = (script: string, args: string[], environment: Record<string, string> = {}) =>
  spawnSync(process.execPath, [join(ROOT, script), ...args], {
    cwd: ROOT,
    encoding: 'utf8',
    env: { ...process.env, ...environment },
  });

it('docs/use/openapi.json and the types of the client match the contracts', () => {
  const { status, stderr } = run('tools/commands/main.mjs', ['openapi', '--check']);
  // On a busy machine, the command says that it is still at work: `[ 10 s] …`.
  const said = stderr.replaceAll(/^\[ *\d+ s\] .*\n/gm, '');
  expect({ status, said }).toEqual({ status: 0, said: '' });
});

it('docs/use/openapi.json passes every recommended rule of the linter, without a warning', () => {
  const { status, stdout } = run(
    'node_modules/@redocly/cli/bin/cli.js',
    ['lint', '--config=redocly.yaml', '--format=json', 'docs/use/openapi.json'],
    { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  );
  const report = JSON.parse(stdout) as { totals: unknown; problems: unknown };
  expect(report.problems).toEqual([]);
  expect(report.totals).toEqual({ errors: 0, warnings: 0, ignored: 0 });
  expect(status).toBe(0);
});
