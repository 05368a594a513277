import { readdirSync, readFileSync } from 'node:fs';

const NANOSECONDS_A_MILLISECOND = 1_000_000;

/** What Linux knows of a process. Throws where there is no such process, or no /proc. */
export function readProcessStat(pid: number | string): { parent: string; cpuMs: number } {
  const folder = `/proc/${String(pid)}`;
  // The fields after the name, which is in parentheses and may hold anything: state, parent, …
  const [, parent = ''] = readFileSync(`${folder}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return { parent, cpuMs: cpuMsOfThreads(`${folder}/task`) };
}

/**
 * By the scheduler's own clock. The times in `stat` are counted in ticks of 10 ms, which a process that wakes up often
 * and shortly meets too often or never.
 */
function cpuMsOfThreads(folder: string): number {
  let nanoseconds = 0;
  for (const thread of readdirSync(folder)) nanoseconds += cpuNanosecondsOf(`${folder}/${thread}/schedstat`);
  return nanoseconds / NANOSECONDS_A_MILLISECOND;
}

function cpuNanosecondsOf(file: string): number {
  try {
    return Number(readFileSync(file, 'utf8').split(' ')[0]);
  } catch {
    // The thread has ended meanwhile.
    return 0;
  }
}
