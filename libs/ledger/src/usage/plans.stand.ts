import type pg from 'pg';

/** A part of a plan that reads a table. */
export interface TableScan {
  table: string;
  index: string | undefined;
  /** The index has all that is asked for: the table is read only where a page of it is new. */
  isIndexAlone: boolean;
  /** Rows that were read, those that a filter then dropped included. */
  rowsRead: number;
}

/** `custom`: made for the values. `generic`: kept for all of them, as that of a prepared statement may be. */
export type PlanKind = 'custom' | 'generic';

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

/**
 * How PostgreSQL runs what `work` asks of the database, statements within functions too. Source: its module
 * auto_explain, which only a superuser loads.
 */
export async function watchPlans<Result>(
  pool: pg.Pool,
  kind: PlanKind,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<{ result: Result; scans: TableScan[] }> {
  const client = await pool.connect();
  const scans: TableScan[] = [];
  client.on('notice', ({ message }) => {
    const plan = message?.split('plan:\n')[1];
    if (plan !== undefined) scans.push(...scansOf((JSON.parse(plan) as { Plan: PlanNode }).Plan));
  });
  try {
    await client.query(`
      LOAD 'auto_explain';
      SET auto_explain.log_min_duration = 0;
      SET auto_explain.log_analyze = on;
      SET auto_explain.log_nested_statements = on;
      SET auto_explain.log_format = json;
      SET auto_explain.log_level = notice;
      SET plan_cache_mode = force_${kind}_plan`);
    return { result: await work(client), scans };
  } finally {
    client.release(true);
  }
}

function scansOf(node: PlanNode): TableScan[] {
  const below = (node.Plans ?? []).flatMap(scansOf);
  const table = node['Relation Name'];
  if (table === undefined) return below;
  // Rows are an average over the loops.
  const rowsRead = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
  const index = node['Index Name'] ?? node.Plans?.[0]?.['Index Name'];
  return [{ table, index, isIndexAlone: node['Node Type'] === 'Index Only Scan', rowsRead }, ...below];
}
