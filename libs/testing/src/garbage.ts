import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { build } from 'esbuild';

/** Collects garbage: fully, or as a minor collection. */
export type CollectGarbage = (options?: { type: 'minor' }) => void;

/** V8's collector, which must be enabled for the process. */
export function garbageCollector(): CollectGarbage {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as CollectGarbage;
}

/** Bytes of the heap that are still in use after a full collection. */
export function heapInUse(): number {
  garbageCollector()();
  return process.memoryUsage().heapUsed;
}

/**
 * The program of the measuring process. Whatever survives two collections in a row is in the old generation.
 */
const MEASURING = `
  const used = (how) => (gc(how), process.memoryUsage().heapUsed);
  async function run() {
    for (let count = 0; count < 200; count++) await comeAndGo();
    const before = used();
    for (let count = 1; count <= 8_000; count++) {
      await comeAndGo();
      if (count % 500 < 2) gc({ type: 'minor' });
    }
    process.stdout.write(String(used({ type: 'minor' }) - before));
  }
  run();`;

/**
 * The bytes that 8,000 short-lived uses leave behind without a full garbage collection: with minor ones only,
 * as in a busy process. The module exports one use as `comeAndGo`. It runs in its own process with a young
 * generation of a fixed size: in a Jest process V8 may choose a small one, and short-lived objects then soon
 * become old.
 */
export async function bytesLeftOf(module: string): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-garbage-'));
  const outfile = join(folder, 'measure.js');
  try {
    await build({
      stdin: {
        contents: `import { comeAndGo } from ${JSON.stringify(module)};${MEASURING}`,
        resolveDir: folder,
      },
      outfile,
      bundle: true,
      platform: 'node',
      target: 'node20',
      external: ['pg-native'],
      logLevel: 'silent',
    });
    const flags = ['--expose-gc', '--min-semi-space-size=16', '--max-semi-space-size=16'];
    const { stdout } = await promisify(execFile)(process.execPath, [...flags, outfile]);
    return Number(stdout);
  } finally {
    await rm(folder, { recursive: true });
  }
}
