import type pg from 'pg';

type Queryable = Pick<pg.Pool, 'query'>;

/** More days than a first run may find; a bound against a loop without end. */
const MOST_STEPS = 10_000;

/**
 * Sums the usage of hours that are closed and not summed yet, a day at a time. Answers how many steps it took: none
 * where there is nothing to do, or where a charge of the last hour may still be under way.
 */
export async function sumClosedUsage(pool: Queryable): Promise<number> {
  for (let steps = 0; steps < MOST_STEPS; steps++) {
    const { rows } = await pool.query<{ summed: boolean }>('SELECT ledger_sum_usage() AS summed');
    if (rows[0]?.summed !== true) return steps;
  }
  return MOST_STEPS;
}

/** Answers `readSummedBefore`, of now or of before. */
export type SummedBefore = () => Promise<Date>;

/**
 * `readSummedBefore`, asked again only after a while. What is read with an older answer is the same: hours that were
 * summed since are added up from their counts.
 */
export function rememberSummedBefore(
  pool: Queryable,
  { rememberMs, nowMs }: { rememberMs: number; nowMs: () => number },
): SummedBefore {
  let remembered: { time: Date; untilMs: number } | undefined;
  return async () => {
    if (remembered && nowMs() < remembered.untilMs) return remembered.time;
    const untilMs = nowMs() + rememberMs;
    const time = await readSummedBefore(pool);
    remembered = { time, untilMs };
    return time;
  };
}

/** Every hour before this time has been summed. It only moves on. */
export async function readSummedBefore(pool: Queryable): Promise<Date> {
  const { rows } = await pool.query<{ summed_before: Date }>({
    name: 'usage_summed_before',
    text: 'SELECT summed_before FROM usage_sum_state WHERE id = 1',
  });
  const [row] = rows;
  if (!row) throw new Error('usage_sum_state has no row');
  return row.summed_before;
}
