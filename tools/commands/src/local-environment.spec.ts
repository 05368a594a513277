import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { provideSecrets } from './start/state-folder';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'farebox-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** What the admin command gets from the last start. */
function localEnvironment(): Record<string, string> {
  const url = JSON.stringify(pathToFileURL(path.join(__dirname, '../workspace.mjs')).href);
  const program = `import(${url}).then((module) => console.log(JSON.stringify(module.localEnvironment(process.argv[1]))))`;
  const { stdout } = spawnSync(process.execPath, ['-e', program, folder], { encoding: 'utf8' });
  return JSON.parse(stdout) as Record<string, string>;
}

it('the admin command has every secret of npm start, so that its doctor misses none', () => {
  const secrets = provideSecrets(path.join(folder, 'secrets.json'));
  const environment = localEnvironment();
  expect(environment).toEqual({
    FAREBOX_KEY_PEPPERS: secrets.key_peppers,
    FAREBOX_ANSWER_KEYS: secrets.answer_keys,
    FAREBOX_WEBHOOK_KEYS: secrets.webhook_keys,
  });
  expect(Object.values(environment)).toEqual(Object.values(secrets));
});

it('without a start, it has nothing', () => {
  expect(localEnvironment()).toEqual({});
});
