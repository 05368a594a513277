import type pg from 'pg';

/** A part of a plan that reads a table. Partitions count as their table; one in which there is nothing is left out. */
export interface TableScan {
  table: string;
  index: string | undefined;
  /** The index has all that is asked for: the table is read only if a page of it is new. */
  isIndexAlone: boolean;
  /** Rows that were read, those that a filter then dropped included. */
  rowsRead: number;
}

/** A partition that was looked into, with the index by which it was. One that was pruned, or never came to it, is not. */
export interface PartitionRead {
  partition: string;
  index: string | undefined;
}

interface Scan extends TableScan {
  partition: string | undefined;
  isPruned: boolean;
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

const PARTITION = /^(?<of>ledger_entry|usage_record)_(?:first|beyond|\d{4}_\d\d)$/;
/** The table as it was before it was partitioned, with its indexes. */
const isFirst = (partition: string): boolean => partition.endsWith('_first');

/**
 * How PostgreSQL runs what `work` asks of the database, statements within functions too. Source: its module
 * auto_explain, which only a superuser loads.
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
  // Rows are an average over the loops.
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
