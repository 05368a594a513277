import { readdirSync } from 'node:fs';
import type pg from 'pg';
import { readProcessStat } from './process-stat';

/** Reads the processor time that a PostgreSQL on this machine has used so far; only where there is a /proc. */
export async function postgresCpuReader(pool: pg.Pool): Promise<() => number | undefined> {
  const { rows } = await pool.query<{ pid: string }>(
    `SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1) AS pid`,
  );
  const postmaster = rows[0]?.pid ?? '';
  return () => {
    try {
      return readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .reduce((sumMs, pid) => sumMs + cpuOfChildMs(pid, postmaster), 0);
    } catch {
      return undefined;
    }
  };
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
