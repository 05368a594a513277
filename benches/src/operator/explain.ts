import type { Pool, PoolClient } from 'pg';
import { readFileSync } from 'node:fs';

/** How much work PostgreSQL had with the statements of a question. */
export interface Explained {
  /** Planning and execution, as EXPLAIN measured them. */
  ms: number;
  /** The processor time of that, whatever else ran on the machine. */
  processorMs: number;
  /** Pages of 8 kB that were looked at, in memory or not. */
  pages: number;
}

interface Plan {
  'Planning Time': number;
  'Execution Time': number;
  Plan: Record<'Shared Hit Blocks' | 'Shared Read Blocks', number>;
}

export const NOTHING_EXPLAINED: Readonly<Explained> = { ms: 0, processorMs: 0, pages: 0 };

/** A pool whose SELECTs are explained on this connection before they are answered. Their sums are added to `sums`. */
export async function explaining(pool: Pool, client: PoolClient, sums: Explained): Promise<Pool> {
  const { rows: pids } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const pid = String(pids[0]?.pid);
  const query = async (given: string | { text: string; values?: unknown[] }, values: unknown[] = []) => {
    const statement = typeof given === 'string' ? { text: given, values } : given;
    if (/^\s*(SELECT|WITH)\b/.test(statement.text)) {
      const startMs = processorMs(pid);
      const { rows } = await client.query<{ 'QUERY PLAN': [Plan] }>(
        `EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ${statement.text}`,
        statement.values ?? [],
      );
      sums.processorMs += processorMs(pid) - startMs;
      const plan = rows[0]?.['QUERY PLAN'][0];
      if (!plan) throw new Error('EXPLAIN said nothing');
      sums.ms += plan['Planning Time'] + plan['Execution Time'];
      sums.pages += plan.Plan['Shared Hit Blocks'] + plan.Plan['Shared Read Blocks'];
    }
    return typeof given === 'string' ? pool.query(given, values) : pool.query(given);
  };
  return new Proxy(pool, {
    get: (target, name) => (name === 'query' ? query : (Reflect.get(target, name) as unknown)),
  });
}

/** The processor time of a process on this machine so far. Linux counts it in nanoseconds. */
const processorMs = (pid: string): number =>
  Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
