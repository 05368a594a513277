import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type pg from 'pg';
import { type ServiceProcess, workspaceRoot } from '@farebox/local-services';
import type { Probe } from './probe';

const NANOSECONDS_A_MILLISECOND = 1_000_000;

/** Linux's data about a process. Throws if there is no such process, or no /proc. */
export function readProcessStat(pid: number | string): { parent: string; cpuMs: number } {
  const folder = `/proc/${String(pid)}`;
  // The fields after the name, which is in parentheses and may contain anything: state, parent, …
  const [, parent = ''] = readFileSync(`${folder}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return { parent, cpuMs: cpuMsOfThreads(`${folder}/task`) };
}

/**
 * By the scheduler's own clock. The times in `stat` are counted in ticks of 10 ms, which systematically miss or hit a
 * process that wakes up often and briefly.
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

/** The peak memory of a process since its start, in MiB; undefined if there is no /proc. */
export function peakMibOf({ pid }: ServiceProcess): number | undefined {
  try {
    const status = readFileSync(`/proc/${String(pid)}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? Number.NaN) / 1_024;
  } catch {
    return undefined;
  }
}

/** Reads the processor time that a PostgreSQL on this machine has used so far; only if there is a /proc. */
export async function postgresCpuReader(pool: pg.Pool): Promise<() => number | undefined> {
  const { rows } = await pool.query<{ pid: string }>(
    `SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1) AS pid`,
  );
  const postmaster = rows[0]?.pid ?? '';
  return () => {
    try {
      return readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .reduce((sumMs, pid) => sumMs + cpuOfChildMs(pid, postmaster), endedChildrenCpuMs(postmaster));
    } catch {
      return undefined;
    }
  };
}

const TICKS_A_SECOND = 100;

/** Processor time of children that have ended: without it, the sum falls with every connection that is closed. */
export function endedChildrenCpuMs(pid: number | string): number {
  const stat =
    readFileSync(`/proc/${String(pid)}/stat`, 'utf8')
      .split(') ')
      .at(-1)
      ?.split(' ') ?? [];
  // The fields after the name, from 0: cutime and cstime are 13 and 14.
  return ((Number(stat[13]) + Number(stat[14])) / TICKS_A_SECOND) * 1_000;
}

function cpuOfChildMs(pid: string, postmaster: string): number {
  try {
    const { parent, cpuMs } = readProcessStat(pid);
    return parent === postmaster ? cpuMs : 0;
  } catch {
    // It has ended since the folder was read.
    return 0;
  }
}

/** Node arguments that load `probe.ts` into a process. */
export function withProbe(probe: Probe): { args: string[]; env: Record<string, string> } {
  const args = ['--require', path.join(workspaceRoot(), 'dist/benches/probe.js')];
  return { args: probe === 'memory' ? ['--expose-gc', ...args] : args, env: { BENCH_PROBE: probe } };
}
