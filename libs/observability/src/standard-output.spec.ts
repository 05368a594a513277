import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';

describe('standard output', () => {
  const folder = mkdtempSync(join(tmpdir(), 'observability-'));
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it('gets every line of a bundled process that exits at once, from a folder without node_modules', async () => {
    const outfile = join(folder, 'main.js');
    const source = `
      import { createLogger } from './index';
      const logger = createLogger({ service: 'worker', level: 'info' });
      for (let count = 0; count < 2000; count += 1) logger.info({ event: 'tick', count }, 'Tick');
      process.exit(0);`;
    await build({
      stdin: { contents: source, resolveDir: __dirname, loader: 'ts' },
      outfile,
      bundle: true,
      platform: 'node',
      target: 'node20',
      format: 'cjs',
    });
    const { status, stdout, stderr } = spawnSync(process.execPath, [outfile], {
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
});
