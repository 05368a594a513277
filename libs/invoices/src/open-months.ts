import type pg from 'pg';

/**
 * Closed UTC months whose invoices may not all be made, oldest first, from the first month on in which somebody was
 * charged. Each by its first day, `2026-10-01`. The database's clock says what is closed.
 */
export async function listOpenMonths(pool: Pick<pg.Pool, 'query'>): Promise<string[]> {
  const { rows } = await pool.query<{ month: string }>(OPEN_MONTHS);
  return rows.map(({ month }) => month);
}

const OPEN_MONTHS = `
  SELECT m::date::text AS month
  FROM (SELECT min(h.hour) AS hour
        FROM account_funds f
        CROSS JOIN LATERAL (SELECT u.hour FROM usage_hour u WHERE u.account_id = f.account_id ORDER BY u.hour LIMIT 1) h
       ) first
  CROSS JOIN generate_series(date_trunc('month', first.hour AT TIME ZONE 'UTC'),
                             (clock_timestamp() - interval '1 hour') AT TIME ZONE 'UTC' - interval '1 month',
                             interval '1 month') m
  WHERE NOT EXISTS (SELECT FROM invoice_month c WHERE c.month = m::date)
  ORDER BY m`;
