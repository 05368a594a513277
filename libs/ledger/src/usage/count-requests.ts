import type { Queryable } from '@farebox/database';
import { HOUR_MS } from '@farebox/flow';
import { PURGED_BEFORE } from '../retention';
import type { OutcomeFilter } from './list-requests';
import { newestHourEnd, type UsagePage } from './list-usage';
import { readUsage } from './read-usage';
import { countUnchargedRequests } from './uncharged-requests';
import { floorTo } from './usage-sums';

/**
 * An upper bound of the requests that a list has in all, found without reading them: zero only if there are none. The
 * charged ones are counted by the hours that the range touches, whatever their outcome; the others exactly, but no
 * further than `most`.
 */
export async function boundRequests(
  pool: Queryable,
  accountId: string,
  outcome: OutcomeFilter,
  { most, ...range }: Omit<UsagePage, 'limit'> & { most: number },
): Promise<number> {
  if (outcome === 'failed' || outcome === 'refused')
    return countUnchargedRequests(pool, accountId, { ...range, outcome, limit: most });
  const [charged, others] = await Promise.all([
    countCharged(pool, accountId, range),
    outcome === 'all' ? countUnchargedRequests(pool, accountId, { ...range, limit: most }) : 0,
  ]);
  return charged + others;
}

async function countCharged(
  pool: Queryable,
  accountId: string,
  { from, to, after, ...filter }: Omit<UsagePage, 'limit'>,
): Promise<number> {
  const { rows } = await pool.query<{ from: Date }>(`SELECT greatest($1, ${PURGED_BEFORE}) AS "from"`, [
    from ?? null,
  ]);
  const range = { from: floorTo(HOUR_MS, rows[0]?.from ?? new Date(0)), to: newestHourEnd(to, after) };
  const groups = await readUsage(pool, accountId, { ...filter, range, groupBy: 'model' });
  return groups.reduce((sum, { requests }) => sum + requests, 0);
}
