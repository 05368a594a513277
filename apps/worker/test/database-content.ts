import type { TestDatabase } from '@farebox/testing';

/** The progress of sums depends on what else runs on the server; the sums themselves do not. */
const LEFT_OUT = ['_prisma_migrations', 'usage_sum_state', 'sales_state'];

/** Times and bounds of the last check: only the findings are compared. */
const TIMES_OF_LOOKING: Record<string, string[]> = {
  ledger_check: ['checked_at'],
  ledger_checkpoint: ['closed_before', 'taken_at', 'read_whole_at'],
};

/** Every row of every table as text, in a fixed order. */
export async function readContent({ pool }: TestDatabase): Promise<Record<string, string[]>> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') ORDER BY 1`,
  );
  const content: Record<string, string[]> = {};
  for (const { name } of tables.filter((table) => !LEFT_OUT.includes(table.name))) {
    const { rows } = await pool.query<{ row: string }>(
      `SELECT (to_jsonb(t) - $1::text[])::text AS row FROM ${name} t ORDER BY 1`,
      [TIMES_OF_LOOKING[name] ?? []],
    );
    content[name] = rows.map(({ row }) => row);
  }
  return content;
}
