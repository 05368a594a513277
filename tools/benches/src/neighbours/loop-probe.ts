/**
 * Loaded into a process with `--require`. SIGUSR2: tells how late the event loop has been since it last told, as one
 * JSON line on standard error with a number, so that a line is told from the former ones.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 2;
const NANOSECONDS_A_MILLISECOND = 1e6;

const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delay.enable();
let told = 0;

process.on('SIGUSR2', () => {
  // What it records is from one look to the next.
  const toMs = (nanoseconds: number): number =>
    Math.max(0, nanoseconds / NANOSECONDS_A_MILLISECOND - RESOLUTION_MS);
  const fields = { p999Ms: toMs(delay.percentile(99.9)), maxMs: toMs(delay.max) };
  process.stderr.write(`${JSON.stringify({ event: 'loop_delay', told: ++told, ...fields })}\n`);
  delay.reset();
});
