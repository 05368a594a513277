import { readFileSync } from 'node:fs';

const TICK_MS = 10;

/** What Linux knows of a process. Throws where there is no such process, or no /proc. */
export function readProcessStat(pid: number | string): { parent: string; cpuMs: number } {
  // The fields after the name, which is in parentheses and may hold anything: state, parent, …, utime, stime.
  const fields =
    readFileSync(`/proc/${String(pid)}/stat`, 'utf8')
      .split(') ')
      .at(-1)
      ?.split(' ') ?? [];
  return { parent: fields[1] ?? '', cpuMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS };
}
