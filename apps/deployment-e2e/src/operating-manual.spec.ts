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
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});
