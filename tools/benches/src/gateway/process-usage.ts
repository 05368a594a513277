import { readFileSync } from 'node:fs';
import type { ServiceProcess } from '@farebox/local-services';

const TICK_MS = 10;

/** Processor time that processes have used so far, user and system. Linux only: it reads /proc. */
export function cpuMsOf(processes: readonly ServiceProcess[]): number {
  return processes.reduce((sum, { pid }) => {
    // The fields after the name, which is in parentheses and may hold anything: state, parent, …, utime, stime.
    const fields =
      readFileSync(`/proc/${String(pid)}/stat`, 'utf8')
        .split(') ')
        .at(-1)
        ?.split(' ') ?? [];
    return sum + (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  }, 0);
}

/** Memory that processes hold now, in MiB. */
export function residentMibOf(processes: readonly ServiceProcess[]): number {
  return processes.reduce((sum, { pid }) => {
    const status = readFileSync(`/proc/${String(pid)}/status`, 'utf8');
    return sum + Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1_024;
  }, 0);
}
