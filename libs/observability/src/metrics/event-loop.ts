import type { Gauge, Histogram } from './instruments';

/** A timer asks so often: what stands for longer is seen by the next one, once. */
const EVERY_MS = 20;

export interface EventLoopInstruments {
  delays: Histogram;
  /** The longest since it was last read. */
  longest: Gauge;
}

/**
 * Watches how late the event loop is from now on. Not `monitorEventLoopDelay`: its histogram cannot be read by the bounds
 * that those of several processes are added up with. Does not keep the process alive. `read` is to be called before
 * each scrape.
 */
export function watchEventLoop({ delays, longest }: EventLoopInstruments): { read: () => void } {
  let expectedMs = performance.now() + EVERY_MS;
  let longestMs = 0;
  setInterval(() => {
    const nowMs = performance.now();
    // A timer keeps whole milliseconds only: it may be early by less than one.
    const delayMs = Math.max(0, nowMs - expectedMs);
    delays.observe(delayMs / 1_000);
    longestMs = Math.max(longestMs, delayMs);
    expectedMs = nowMs + EVERY_MS;
  }, EVERY_MS).unref();
  return {
    read() {
      longest.set(longestMs / 1_000);
      longestMs = 0;
    },
  };
}
