import type pg from 'pg';

/** A node of a plan that reads a table. Partitions count as their table; empty ones are left out. */
export interface TableScan {
  table: string;
  index: string | undefined;
  /** An index-only scan: the table is read only for new pages. */
  isIndexAlone: boolean;
  /** Rows read, including those that a filter dropped. */
  rowsRead: number;
}

/** A partition that was read, and the index used. Pruned and unreached partitions are left out. */
export interface PartitionRead {
  partition: string;
  index: string | undefined;
}

interface Scan extends TableScan {
  partition: string | undefined;
  isPruned: boolean;
}

/** `custom`: for specific values. `generic`: for any values, as kept for a prepared statement. */
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

const PARTITION = /^(?<of>ledger_entry|usage_record)_(?:first|beyond|\d{4}_\d\d)$/;
/** The original table from before the partitioning, with its indexes. */
const isFirst = (partition: string): boolean => partition.endsWith('_first');

/**
 * The plans of all statements that `work` runs, including those within functions. Source: PostgreSQL's module
 * auto_explain, which only a superuser can load.
 */
export async function watchPlans<Result>(
  pool: pg.Pool,
  kind: PlanKind,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<{ result: Result; scans: TableScan[]; partitions: PartitionRead[] }> {
  const client = await pool.connect();
  const scans: Scan[] = [];
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
    const result = await work(client);
    return {
      result,
      scans: scans
        .filter(({ partition, rowsRead }) => partition === undefined || isFirst(partition) || rowsRead > 0)
        .map(({ table, index, isIndexAlone, rowsRead }) => ({ table, index, isIndexAlone, rowsRead })),
      partitions: scans.flatMap(({ partition, index, isPruned }) =>
        partition === undefined || isPruned ? [] : [{ partition, index }],
      ),
    };
  } finally {
    client.release(true);
  }
}

function scansOf(node: PlanNode): Scan[] {
  const below = (node.Plans ?? []).flatMap(scansOf);
  const table = node['Relation Name'];
  if (table === undefined) return below;
  // Row counts are averages over the loops.
  const rowsRead = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
  const of = PARTITION.exec(table)?.groups?.['of'];
  const scan = {
    table: of ?? table,
    partition: of && table,
    isPruned: node['Actual Loops'] === 0,
    index: node['Index Name'] ?? node.Plans?.[0]?.['Index Name'],
    isIndexAlone: node['Node Type'] === 'Index Only Scan',
    rowsRead,
  };
  return [scan, ...below];
}
