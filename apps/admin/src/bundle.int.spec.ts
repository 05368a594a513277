import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { openAdminHarness, type AdminHarness, type Ran } from '../test/admin-harness';

const BUNDLE = join(__dirname, '../../../dist/admin/main.js');

let harness: AdminHarness;
let folder: string;

beforeAll(async () => {
  if (!existsSync(BUNDLE))
    throw new Error('dist/admin/main.js is missing: build it with "npx nx build admin".');
  harness = await openAdminHarness();
  folder = mkdtempSync(join(tmpdir(), 'farebox-admin-'));
  copyFileSync(BUNDLE, join(folder, 'main.js'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await harness.close();
});

function runBundle(...args: string[]): Promise<Ran> {
  return new Promise((resolve) => {
    const options = { cwd: folder, env: harness.environment };
    const child = execFile(process.execPath, ['main.js', ...args], options, (_error, out, err) => {
      resolve({ exitCode: child.exitCode ?? -1, out, err });
    });
  });
}

it('contains no import(), which Node refuses when npm run admin runs it', () => {
  expect(readFileSync(BUNDLE, 'utf8')).not.toMatch(/(?<![\w.$`])import\(/);
});

it('loads the clients of job queues and mail servers only for commands that need them', () => {
  const tell = join(folder, 'tell.cjs');
  // Defines navigator, as npm run admin does under Node 20: without it pg loads all of fetch().
  writeFileSync(
    tell,
    `globalThis.navigator ??= { userAgent: 'Node.js/20' };
     process.on('exit', () => console.error(process.moduleLoadList.join()));`,
  );
  const loadedBy = (...args: string[]): string[] =>
    spawnSync(process.execPath, ['--require', tell, BUNDLE, ...args], { encoding: 'utf8' }).stderr.split(',');
  // Those clients load it for encrypted connections; pg does so only when it opens one.
  const client = 'NativeModule tls';
  expect(loadedBy('--help')).toContain('NativeModule net');
  const words = ['--help', 'account', 'catalog', 'job'].map((word) => [word]);
  expect([...words, ['job', 'list', '--help']].filter((args) => loadedBy(...args).includes(client))).toEqual(
    [],
  );
});

describe('the bundle, alone in an empty folder', () => {
  it('connects to the database', async () => {
    const created = await runBundle(
      'account',
      'create',
      '--email',
      'ada@example.com',
      '--name',
      'Ada',
      '--json',
    );
    expect(created).toMatchObject({ exitCode: 0, err: '' });
    const { account_id } = JSON.parse(created.out) as { account_id: string };
    const key = await runBundle('key', 'create', account_id, '--name', 'laptop', '--json');
    expect(key).toMatchObject({
      exitCode: 0,
      err: '',
      out: expect.stringMatching(/^\{"key":"ak-/) as string,
    });
    expect(await runBundle('account', 'list')).toMatchObject({
      exitCode: 0,
      out: expect.stringContaining(`\n${account_id}  invited  beta    ada@example.com  Ada\n`) as string,
    });
  });

  it('knows the operator', async () => {
    const created = await harness.adminJson(
      'account',
      'create',
      '--email',
      'eve@example.com',
      '--name',
      'Eve',
    );
    const options = ['--amount', '1', '--reason', 'goodwill', '--reference', 'case-1', '--yes'];
    const adjusted = await runBundle('account', 'adjust', String(created.account_id), ...options);
    expect(adjusted).toMatchObject({ exitCode: 0, err: '' });
    const { rows } = await harness.pool.query('SELECT made_by FROM adjustment');
    expect(rows).toEqual([{ made_by: userInfo().username }]);
  });

  it('exits cleanly if its output is closed early, as head does', async () => {
    const child = spawn(process.execPath, [BUNDLE, '--help'], { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.destroy();
    const said: string[] = [];
    child.stderr.setEncoding('utf8').on('data', (text: string) => said.push(text));
    const [exitCode] = (await once(child, 'close')) as [number | null];
    expect({ exitCode, said: said.join('') }).toEqual({ exitCode: 0, said: '' });
  });

  it('passes its exit code to the shell', async () => {
    expect((await runBundle('--help')).exitCode).toBe(0);
    expect((await runBundle('nonsense')).exitCode).toBe(2);
    expect((await runBundle('catalog', 'apply', 'none.yaml')).exitCode).toBe(1);
  });
});
