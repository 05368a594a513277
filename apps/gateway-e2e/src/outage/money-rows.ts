import type pg from 'pg';

/** Everything that is written of money. */
const TABLES = [
  'account_funds',
  'account_day',
  'api_key_month',
  'hold',
  'ledger_entry',
  'usage_record',
  'usage_hour',
  'billing_review',
  'idempotency_claim',
] as const;

/** Every row that is written of money, as text. */
export async function readMoneyRows(pool: pg.Pool): Promise<string[]> {
  const all = TABLES.map((table) => `SELECT '${table} ' || t::text AS row FROM ${table} t`).join(
    ' UNION ALL ',
  );
  const { rows } = await pool.query<{ row: string }>(`${all} ORDER BY 1`);
  return rows.map(({ row }) => row);
}
