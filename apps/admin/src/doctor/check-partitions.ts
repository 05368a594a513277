import { readPartitionReach, type PartitionReach } from '@farebox/ledger';
import type { Pool } from 'pg';
import { ok, warn, type Finding } from './finding';

const CHECK = 'partitions';
/** The worker makes them three months ahead. */
const SHORTEST_REACH_MS = 14 * 86_400_000;
const MAY_READ = `SELECT has_function_privilege('ledger_partition_reach()', 'EXECUTE') AS may`;

/** How far the tables that grow have partitions, if this login may know it. */
export async function checkPartitions(pool: Pool, now: () => number = Date.now): Promise<Finding[]> {
  const { rows } = await pool.query<{ may: boolean }>(MAY_READ);
  return rows[0]?.may ? [judgePartitions(await readPartitionReach(pool), now())] : [];
}

/** `nowMs`: milliseconds since 1970. */
export function judgePartitions({ endAt, rowsBeyond }: PartitionReach, nowMs: number): Finding {
  const reach = `The tables that grow have partitions up to ${endAt.toISOString().slice(0, 10)}`;
  if (rowsBeyond > 0)
    return warn(
      CHECK,
      `${reach}, and rows that are beyond: ${String(rowsBeyond)}.`,
      'A gateway whose clock is ahead made them, or no worker ran for months: see FareboxPartitionsMissing in docs/OBSERVABILITY.md.',
    );
  if (endAt.getTime() - nowMs < SHORTEST_REACH_MS)
    return warn(CHECK, `${reach}, which is soon.`, 'The worker makes them each hour: look whether it runs.');
  return ok(CHECK, `${reach}.`);
}
