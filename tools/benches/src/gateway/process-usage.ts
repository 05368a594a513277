import { readFileSync } from 'node:fs';
import type { ServiceProcess } from '@farebox/local-services';
import { readProcessStat } from '../process-stat';

/** Processor time that processes have used so far, user and system. Linux only: it reads /proc. */
export function cpuMsOf(processes: readonly ServiceProcess[]): number {
  return processes.reduce((sum, { pid }) => sum + readProcessStat(pid ?? '').cpuMs, 0);
}

/** Memory that processes hold now, in MiB. */
export function residentMibOf(processes: readonly ServiceProcess[]): number {
  return processes.reduce((sum, { pid }) => {
    const status = readFileSync(`/proc/${String(pid)}/status`, 'utf8');
    return sum + Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1_024;
  }, 0);
}
