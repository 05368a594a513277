import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';

describe('standard output', () => {
  const folder = mkdtempSync(join(tmpdir(), 'observability-'));
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it('gets every line of a bundled process that exits at once, from a folder without node_modules', async () => {
    const bundle = await bundleOf(`
      for (let count = 0; count < 2000; count += 1) logger.info({ event: 'tick', count }, 'Tick');
      process.exit(0);`);
    const { status, stdout, stderr } = spawnSync(process.execPath, [bundle], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const counts = stdout
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { count: number }).count);
    expect(counts).toEqual(Array.from({ length: 2_000 }, (_, count) => count));
  });

  it('gets a line that was logged while an earlier one was being written, although none follows', async () => {
    // The only thread that writes is busy for longer than a line is kept back.
    const bundle = await bundleOf(`
      require('node:crypto').pbkdf2('', '', 2_000_000, 64, 'sha512', () => undefined);
      logger.warn({ event: 'tick', count: 1 }, 'Tick');
      logger.info({ event: 'tick', count: 2 }, 'Tick');
      setTimeout(() => process.kill(process.pid, 'SIGKILL'), 20_000);`);
    const child = spawn(process.execPath, [bundle], {
      env: { UV_THREADPOOL_SIZE: '1' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const counts: number[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      counts.push((JSON.parse(line) as { count: number }).count);
      if (counts.length === 2) child.kill('SIGKILL');
    }
    expect(counts).toEqual([1, 2]);
  });

  async function bundleOf(code: string): Promise<string> {
    const outfile = join(folder, 'main.js');
    await build({
      stdin: {
        contents: `
          import { createLogger } from './index';
          const logger = createLogger({ service: 'worker', level: 'info' });
          ${code}`,
        resolveDir: __dirname,
        loader: 'ts',
      },
      outfile,
      bundle: true,
      platform: 'node',
      target: 'node20',
      format: 'cjs',
    });
    return outfile;
  }
});
