import path from 'node:path';
import { writeHeapSnapshot } from 'node:v8';

/**
 * Loaded into a process with `--require`, beside `--expose-gc`. SIGUSR2: collects, and tells how much memory is used;
 * SIGHUP: writes a heap snapshot into the working directory. Both are told on standard error, one JSON line each, with
 * a number, so that a line is told from the former ones.
 */

let told = 0;

function tell(event: string, fields: object): void {
  process.stderr.write(`${JSON.stringify({ event, told: ++told, ...fields })}\n`);
}

process.on('SIGUSR2', () => {
  globalThis.gc?.();
  // What a weak reference gave out lives to the end of its turn: a second collection gets it.
  setImmediate(() => {
    globalThis.gc?.();
    tell('memory', process.memoryUsage());
  });
});

process.on('SIGHUP', () => {
  tell('heap_snapshot', { file: path.resolve(writeHeapSnapshot()) });
});
