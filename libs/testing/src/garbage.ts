import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const BEFORE_IT_COUNTS = 200;
const COLLECTED_EVERY = 500;

/**
 * How many bytes are left of what came and went so many times, as long as no full collection of garbage comes by: minor ones
 * alone, as in a process at work.
 */
export async function bytesLeftOf(times: number, comeAndGo: () => Promise<void> | void): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options?: { type: 'minor' }) => void;
  for (let count = 0; count < BEFORE_IT_COUNTS; count++) await comeAndGo();
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let count = 1; count <= times; count++) {
    await comeAndGo();
    if (count % COLLECTED_EVERY === 0) collect({ type: 'minor' });
  }
  collect({ type: 'minor' });
  return process.memoryUsage().heapUsed - before;
}
