import type pg from 'pg';

type Queryable = Pick<pg.Pool, 'query'>;

/** A part of a plan that reads a table. */
export interface TableScan {
  table: string;
  index: string | undefined;
  /** Rows that were read, those that a filter then dropped included. */
  rowsRead: number;
}

interface PlanNode {
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

/** Runs queries as they are, and keeps how PostgreSQL ran each of them. */
export function watchPlans(pool: pg.Pool): { pool: Queryable; scans: TableScan[] } {
  const scans: TableScan[] = [];
  const query = async (
    asked: string | { text: string; values?: unknown[] },
    more?: unknown[],
  ): Promise<unknown> => {
    const { text, values } = typeof asked === 'string' ? { text: asked, values: more } : asked;
    const { rows } = await pool.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(
      `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`,
      values,
    );
    for (const { Plan } of rows[0]?.['QUERY PLAN'] ?? []) scans.push(...scansOf(Plan));
    return pool.query(text, values);
  };
  return { pool: { query } as unknown as Queryable, scans };
}

function scansOf(node: PlanNode): TableScan[] {
  const below = (node.Plans ?? []).flatMap(scansOf);
  const table = node['Relation Name'];
  if (table === undefined) return below;
  // Rows are an average over the loops.
  const rowsRead = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
  const index = node['Index Name'] ?? node.Plans?.[0]?.['Index Name'];
  return [{ table, index, rowsRead }, ...below];
}
