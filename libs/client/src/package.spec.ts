import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { documentedProof } from '../test/documented-proof';

const root = path.join(__dirname, '../../..');
const tsc = createRequire(__filename).resolve('typescript/bin/tsc');

let project: string;
let packed: string[];

function run(program: string, args: string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}

/** A user's project with the package installed as it would be published. */
beforeAll(() => {
  project = mkdtempSync(path.join(tmpdir(), 'farebox-client-'));
  const destination = path.join(project, 'node_modules/@farebox/client');
  mkdirSync(destination, { recursive: true });
  const output = run(
    'npm',
    ['pack', '--json', '--pack-destination', project],
    path.join(root, 'dist/client'),
  );
  const [{ filename, files }] = JSON.parse(output) as [{ filename: string; files: { path: string }[] }];
  packed = files.map((file) => file.path).sort();
  run('tar', ['-xzf', path.join(project, filename), '-C', destination, '--strip-components=1'], project);
  for (const name of ['openapi-fetch', 'openapi-typescript-helpers'])
    symlinkSync(path.join(root, 'node_modules', name), path.join(project, 'node_modules', name));
  writeFileSync(path.join(project, 'package.json'), '{ "type": "module" }');
});

afterAll(() => {
  rmSync(project, { recursive: true, force: true });
});

it('contains the code, its types, a README and the license, but no sources', () => {
  expect(packed).toEqual([
    'LICENSE',
    'README.md',
    'bin.d.ts',
    'bin.js',
    'check-proof.d.ts',
    'command.d.ts',
    'create-client.d.ts',
    'farebox-error.d.ts',
    'generated/api.d.ts',
    'index.d.ts',
    'index.js',
    'package.json',
    'read-proof.d.ts',
  ]);
});

it('works after installation', () => {
  const script = `
    import { createFareboxClient, FareboxError, unwrap } from '@farebox/client';
    const fetch = async (request) => {
      if (request.headers.get('authorization') !== 'Bearer st-1') throw new Error('no session');
      const error = { code: 'invalid_credential', type: 'invalid_request_error', message: 'No.', param: null };
      return new Response(JSON.stringify({ error }), { status: 401, headers: { 'content-type': 'application/json' } });
    };
    const client = createFareboxClient({ baseUrl: 'http://farebox.example', session: 'st-1', fetch });
    const error = await unwrap(client.GET('/v1/billing/balance')).catch((error) => error);
    process.stdout.write(String(error instanceof FareboxError) + ' ' + error.message);`;
  writeFileSync(path.join(project, 'use.js'), script);

  expect(run(process.execPath, ['use.js'], project)).toBe('true No.');
});

it('checks a proof as a command of its own', () => {
  writeFileSync(path.join(project, 'proof.json'), JSON.stringify(documentedProof()));
  const bin = path.join(project, 'node_modules/@farebox/client/bin.js');

  expect(run(process.execPath, [bin, 'check-proof', 'proof.json'], project)).toContain('The proof holds.');
});

it('has types for a project with Node resolution', () => {
  const script = `
    import { createFareboxClient, unwrap } from '@farebox/client';
    const client = createFareboxClient({ baseUrl: 'http://farebox.example', session: 'st-1' });
    export const balance: Promise<{ balance: string; held: string }> = unwrap(client.GET('/v1/billing/balance'));
    // @ts-expect-error: there is no such path
    void client.GET('/v1/nothing');`;
  writeFileSync(path.join(project, 'use.ts'), script);
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2023', '--module', 'nodenext'];

  expect(run(process.execPath, [tsc, ...options, 'use.ts'], project)).toBe('');
});
