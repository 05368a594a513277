import { spawnSync } from 'node:child_process';
import { workspaceRoot } from '@farebox/local-services';

it('docs/operate/operating.md has every variable of every app as its schema says, and nothing reads an unknown one', () => {
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
