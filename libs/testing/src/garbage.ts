import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { build } from 'esbuild';

/** Collects garbage: all of it, or as a minor collection does. */
export type CollectGarbage = (options?: { type: 'minor' }) => void;

/** The collector of V8, which a process has to be asked for. */
export function garbageCollector(): CollectGarbage {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as CollectGarbage;
}

/** Bytes of the heap that are still in use when all garbage is gone. */
export function heapInUse(): number {
  garbageCollector()();
  return process.memoryUsage().heapUsed;
}

/** What a process runs that knows of nothing else. What is in use at two collections in a row is in the old generation. */
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
 * How many bytes are left of what came and went 8,000 times, as long as no full collection of garbage comes by: minor ones
 * alone, as in a process at work. The module exports it as `comeAndGo`. It has a process of its own with a young generation
 * of a fixed size: V8 makes a small one where it likes, as in a process of Jest, and then what is in use for a moment is soon old.
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
