import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { readSettings, startSimulatedUpstream } from './server';

describe('the process', () => {
  const folder = mkdtempSync(join(tmpdir(), 'simulated-upstream-'));
  const bundle = join(folder, 'main.js');
  beforeAll(async () => {
    await build({
      entryPoints: [join(__dirname, 'main.ts')],
      outfile: bundle,
      bundle: true,
      platform: 'node',
      target: 'node20',
      format: 'cjs',
    });
    // As the build does.
    const tables = join(__dirname, '../../../libs/flow/src/tokenizer/write-token-tables.mjs');
    spawnSync(process.execPath, [tables, folder, 'o200k_base']);
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  const start = (environment: Record<string, string>): ChildProcess =>
    spawn(process.execPath, [bundle], { cwd: folder, env: environment, stdio: 'pipe' });
  const firstOutput = async (stream: ChildProcess['stdout']): Promise<string> => {
    const [output] = (await once(stream ?? process.stdin, 'data')) as [Buffer];
    return output.toString();
  };
  const freePort = async (): Promise<number> => {
    const probe = await startSimulatedUpstream();
    await probe.close();
    return probe.port;
  };

  it('runs from a folder without node_modules, reports when it is ready, and stops on SIGTERM', async () => {
    const port = await freePort();
    const child = start({
      FAREBOX_SIMULATED_UPSTREAM_PORT: String(port),
      FAREBOX_SIMULATED_UPSTREAM_KEY: 'the-key',
    });
    const ready = JSON.parse(await firstOutput(child.stdout)) as { event: string; url: string };
    expect(ready).toMatchObject({ event: 'ready', url: `http://127.0.0.1:${String(port)}/v1` });

    const body = JSON.stringify({ model: 'sim-echo', messages: [{ role: 'user', content: 'Hello' }] });
    const post = { method: 'POST', body };
    const url = `${ready.url}/chat/completions`;
    expect((await fetch(url, { ...post, headers: { authorization: 'Bearer the-key' } })).status).toBe(200);
    expect((await fetch(url, post)).status).toBe(401);

    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('reports in one sentence that its port is in use', async () => {
    const other = await startSimulatedUpstream();
    const child = start({ FAREBOX_SIMULATED_UPSTREAM_PORT: String(other.port) });
    const [sentence, exit] = await Promise.all([firstOutput(child.stderr), once(child, 'exit')]);
    expect(sentence).toMatch(
      new RegExp(`^The simulated upstream cannot listen on port ${String(other.port)}: .*\n$`),
    );
    expect(exit).toEqual([1, null]);
    await other.close();
  });
});

describe('readSettings', () => {
  it('has defaults', () => {
    expect(readSettings({})).toEqual({ port: 8090 });
  });

  it('takes an address to listen on', () => {
    expect(readSettings({ FAREBOX_SIMULATED_UPSTREAM_HOST: '0.0.0.0' })).toEqual({
      port: 8090,
      host: '0.0.0.0',
    });
  });

  it('names every invalid variable', () => {
    const settings = readSettings({
      FAREBOX_SIMULATED_UPSTREAM_PORT: '70000',
      FAREBOX_SIMULATED_UPSTREAM_TOKENS_PER_SECOND: 'fast',
    });
    expect(settings).toEqual({
      problems: [
        'FAREBOX_SIMULATED_UPSTREAM_PORT must be a whole number from 1 to 65535, not "70000".',
        'FAREBOX_SIMULATED_UPSTREAM_TOKENS_PER_SECOND must be a whole number from 1 to 100000, not "fast".',
      ],
    });
  });
});
