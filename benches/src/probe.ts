/**
 * Loaded into a process with `--require`, to measure it from within; BENCH_PROBE selects the probe. It is triggered
 * by signals and reports on standard error, one JSON line each.
 */
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import path from 'node:path';
import { PerformanceObserver, type PerformanceEntry } from 'node:perf_hooks';
import { getHeapSpaceStatistics, writeHeapSnapshot } from 'node:v8';
import { percentileMs } from './percentile';

export type Probe = 'cpu' | 'coverage' | 'loop' | 'memory';

const PROBES: Readonly<Record<Probe, () => void>> = {
  cpu: profileCpu,
  coverage: coverFunctions,
  loop: watchLoop,
  memory: readMemory,
};

const SAMPLE_EVERY_US = 500;
const RESOLUTION_MS = 2;
/** The delays that are reported one by one, enough for the p99.9 of a minute. */
const LONGEST = 32;
const MICROSECONDS_A_MILLISECOND = 1_000;

let told = 0;

PROBES[process.env['BENCH_PROBE'] as Probe]();

/** Numbered, to distinguish a line from earlier ones. */
function tell(event: string, fields: object = {}): void {
  process.stderr.write(`${JSON.stringify({ event, told: ++told, ...fields })}\n`);
}

/** SIGUSR2 begins a CPU profile; the next one ends it and writes it into the working directory. */
function profileCpu(): void {
  const session = new Session();
  session.connect();
  let isRunning = false;
  process.on('SIGUSR2', () => {
    if (isRunning) end();
    else begin();
    isRunning = !isRunning;
  });

  function begin(): void {
    session.post('Profiler.enable');
    session.post('Profiler.setSamplingInterval', { interval: SAMPLE_EVERY_US });
    session.post('Profiler.start', () => {
      tell('profile_begun');
    });
  }

  function end(): void {
    session.post('Profiler.stop', (error, result) => {
      if (error) throw error;
      const file = path.resolve('bench.cpuprofile');
      writeFileSync(file, JSON.stringify(result.profile));
      tell('profile_written', { file });
    });
  }
}

/** SIGUSR2 begins to count calls of functions; the next one writes them into the working directory. */
function coverFunctions(): void {
  const session = new Session();
  session.connect();
  let isRunning = false;
  process.on('SIGUSR2', () => {
    if (!isRunning) {
      session.post('Profiler.enable');
      session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false }, () => {
        tell('coverage_begun');
      });
    } else {
      session.post('Profiler.takePreciseCoverage', (error, { result }) => {
        if (error) throw error;
        const file = path.resolve('bench.coverage');
        writeFileSync(file, JSON.stringify(result));
        tell('coverage_written', { file });
      });
    }
    isRunning = true;
  });
}

/** SIGUSR2: the delay of the event loop since the last report. */
function watchLoop(): void {
  tellLoopDelayOn('SIGUSR2');
}

function tellLoopDelayOn(signal: NodeJS.Signals): void {
  const recorded = recordDelays();
  process.on(signal, () => {
    const delays = recorded.take();
    const sorted = (msOf: (delay: Delay) => number): number[] => delays.map(msOf).sort((a, b) => b - a);
    const all = sorted(({ wholeMs }) => wholeMs);
    const longest = (msOf: (delay: Delay) => number): number[] => sorted(msOf).slice(0, LONGEST);
    tell('loop_delay', {
      count: all.length,
      p99Ms: percentileMs(all, 0.99),
      p999Ms: percentileMs(all, 0.999),
      maxMs: percentileMs(all, 1),
      longestMs: all.slice(0, LONGEST),
      ownLongestMs: longest(({ ownMs }) => ownMs),
      besidePausesMs: longest(({ ownMs, collectedMs }) => Math.max(0, ownMs - collectedMs)),
    });
    // Or the report itself, of up to 60 ms, would be the longest of the next ones.
    recorded.begin();
  });
}

/** A delay of the event loop. */
interface Delay {
  fromMs: number;
  toMs: number;
  wholeMs: number;
  /**
   * The part in which the thread was at work itself: on a busy machine, most of a long delay is the time in which others
   * had the processor. The thread's time is counted in ticks of up to 2 ms, and that of the process includes its other
   * threads, so it is an upper bound.
   */
  ownMs: number;
  /** The pauses of the garbage collector in it. */
  collectedMs: number;
}

interface RecordedDelays {
  /** The delays since the last call. */
  take(): Delay[];
  /** Leaves out what the process did until now. */
  begin(): void;
}

function recordDelays(): RecordedDelays {
  let delays: Delay[] = [];
  let pauses: PerformanceEntry[] = [];
  // It receives a pause some turns later.
  const observer = new PerformanceObserver((list) => pauses.push(...list.getEntries()));
  observer.observe({ entryTypes: ['gc'] });
  let [fromMs, processMs, threadMs] = [0, 0, 0];
  const begin = (): void => {
    [fromMs, processMs, threadMs] = [performance.now(), workedMs(process.cpuUsage()), threadWorkedMs()];
  };
  begin();
  setInterval(() => {
    const toMs = performance.now();
    const wholeMs = Math.max(0, toMs - fromMs - RESOLUTION_MS);
    const workMs = Math.min(workedMs(process.cpuUsage()) - processMs, threadWorkedMs() - threadMs);
    delays.push({ fromMs, toMs, wholeMs, ownMs: Math.min(wholeMs, workMs), collectedMs: 0 });
    begin();
  }, RESOLUTION_MS).unref();
  const take = (): Delay[] => {
    const [taken, collected] = [delays, [...pauses, ...observer.takeRecords()]];
    [delays, pauses] = [[], []];
    for (const { startTime, duration } of collected) {
      const delay = taken.find(({ toMs }) => toMs > startTime);
      if (delay) delay.collectedMs += duration;
    }
    return taken;
  };
  return { take, begin };
}

function workedMs({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / MICROSECONDS_A_MILLISECOND;
}

/** Node 20 has no time of a thread. */
function threadWorkedMs(): number {
  const { threadCpuUsage } = process as { threadCpuUsage?: () => NodeJS.CpuUsage };
  return workedMs(threadCpuUsage ? threadCpuUsage.call(process) : process.cpuUsage());
}

/**
 * SIGUSR2: collects garbage, and reports the used memory; needs `--expose-gc`. SIGHUP: writes a heap snapshot into
 * the working directory. SIGWINCH: the delay of the event loop since the last report.
 */
function readMemory(): void {
  tellLoopDelayOn('SIGWINCH');
  process.on('SIGUSR2', () => {
    globalThis.gc?.();
    // The target of a weak reference lives to the end of its turn: a second collection frees it.
    setImmediate(() => {
      globalThis.gc?.();
      tell('memory', { ...process.memoryUsage(), young: youngBytes() });
    });
  });
  process.on('SIGHUP', () => {
    tell('heap_snapshot', { file: path.resolve(writeHeapSnapshot()) });
  });
}

/** Pages of V8's young generation. It grows to its configured size, however little lives in it. */
function youngBytes(): number {
  return getHeapSpaceStatistics()
    .filter(({ space_name: name }) => name === 'new_space')
    .reduce((sum, { physical_space_size: bytes }) => sum + bytes, 0);
}
