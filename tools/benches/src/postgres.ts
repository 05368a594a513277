import { readdirSync } from 'node:fs';
import pg from 'pg';
import { createTemplateDatabase, startTemporaryPostgres } from '@farebox/local-services';
import { readProcessStat } from './process-stat';

/** A PostgreSQL for one bench, set as one in production is. */
export interface BenchPostgres {
  /** A migrated database of this name; answers with the owner's URL of it. */
  createDatabase(name: string): Promise<string>;
  remove(): Promise<void>;
}

const TEMPLATE = 'farebox_bench';

export async function startBenchPostgres({ fsync }: { fsync: boolean }): Promise<BenchPostgres> {
  const postgres = await startTemporaryPostgres({
    fsync: fsync ? 'on' : 'off',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    shared_buffers: '512MB',
    max_wal_size: '4GB',
  });
  const url = postgres.server.url();
  await createTemplateDatabase(url, TEMPLATE);
  return {
    async createDatabase(name) {
      await runOnce(url, `CREATE DATABASE ${name} TEMPLATE ${TEMPLATE}`);
      return Object.assign(new URL(url), { pathname: `/${name}` }).href;
    },
    remove: () => postgres.remove(),
  };
}

async function runOnce(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql);
  await client.end();
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
