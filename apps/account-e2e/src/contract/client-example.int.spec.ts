import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { openAccountHarness } from '../../test/account-harness';

const ROOT = join(__dirname, '../../../..');

function exampleOfTheReference(): string {
  const reference = readFileSync(join(ROOT, 'docs/use/api.md'), 'utf8');
  const examples = [...reference.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code);
  const [example] = examples.filter((code) => code.includes('createFareboxClient'));
  if (example === undefined) throw new Error('docs/use/api.md has no example of the client');
  return example;
}

it('the client example in docs/use/api.md runs', async () => {
  const harness = await openAccountHarness();
  const { sessionToken } = await harness.givenCustomer();
  const folder = mkdtempSync(join(tmpdir(), 'farebox-client-'));
  const outfile = join(folder, 'example.mjs');
  const baseUrl = `http://127.0.0.1:${String(harness.process.port)}`;
  const contents = exampleOfTheReference().replace('http://127.0.0.1:8080', baseUrl);
  await build({
    stdin: { contents, loader: 'ts', resolveDir: ROOT },
    ...{ bundle: true, platform: 'node', format: 'esm', outfile },
  });
  const run = await promisify(execFile)(process.execPath, [outfile], {
    env: { FAREBOX_SESSION: sessionToken },
  });
  rmSync(folder, { recursive: true });
  await harness.close();
  expect(run).toEqual({ stdout: 'api_key_revoked 409\n', stderr: '' });
});
