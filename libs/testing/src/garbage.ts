import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

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

const BEFORE_IT_COUNTS = 200;
const COLLECTED_EVERY = 500;

/**
 * How many bytes are left of what came and went so many times, as long as no full collection of garbage comes by: minor ones
 * alone, as in a process at work.
 */
export async function bytesLeftOf(times: number, comeAndGo: () => Promise<void> | void): Promise<number> {
  const collect = garbageCollector();
  for (let count = 0; count < BEFORE_IT_COUNTS; count++) await comeAndGo();
  const before = heapInUse();
  for (let count = 1; count <= times; count++) {
    await comeAndGo();
    if (count % COLLECTED_EVERY === 0) collect({ type: 'minor' });
  }
  collect({ type: 'minor' });
  return process.memoryUsage().heapUsed - before;
}
