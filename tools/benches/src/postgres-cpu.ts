import { readdirSync, readFileSync } from 'node:fs';
import type pg from 'pg';

const TICK_MS = 10;

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

function cpuOfChildMs(pid: string, parent: string): number {
  try {
    // The fields after the name, which is in parentheses and may hold anything: state, parent, …, utime, stime.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return fields[1] === parent ? (Number(fields[11]) + Number(fields[12])) * TICK_MS : 0;
  } catch {
    return 0;
  }
}
