import { spawnSync } from 'node:child_process';
import { workspaceRoot } from '@farebox/local-services';

it('docs/operate/operating.md describes every variable of every app as its schema does, and no other', () => {
  const { status, stderr } = spawnSync(
    process.execPath,
    ['tools/commands/main.mjs', 'operating', '--check'],
    {
      cwd: workspaceRoot(),
      encoding: 'utf8',
    },
  );
  // On a busy machine, the command says that it is still at work: `[ 10 s] …`.
  const said = stderr.replaceAll(/^\[ *\d+ s\] .*\n/gm, '');
  expect({ status, said }).toEqual({ status: 0, said: '' });
});
