import { readdirSync, readFileSync } from 'node:fs';
import type pg from 'pg';
import type { BreakableService } from '../../test/breakable-service';

/** Measures that must not grow with time: of the gateway that is never killed, and of the database. */
export interface Sample {
  atMs: number;
  /** Resident memory of the gateway. */
  memoryMiB: number;
  /** Open files and sockets of the gateway. */
  files: number;
  /** Server processes of all clients. */
  connections: number;
  /** The tables whose rows are changed again and again, with their indexes. */
  changedMiB: number;
  /** Size of the whole database for each thousand charges; undefined before the first one. */
  mibPerThousandCharges: number | undefined;
}

/** They have few rows, whatever was charged. */
const CHANGED_TABLES = [
  'account_funds',
  'account_day',
  'hold',
  'gateway_instance',
  'outbox',
  'api_key_month',
];

/** Undefined while the database is away. */
export async function takeSample(
  { database, gateways }: BreakableService,
  gateway: number,
): Promise<Sample | undefined> {
  const pid = gateways[gateway]?.current.pid;
  if (pid === undefined) return undefined;
  const found = await readDatabase(database.pool).catch(() => undefined);
  return found && { atMs: Date.now(), ...readProcess(pid), ...found };
}

const MIB = 1_048_576;

function readProcess(pid: number): Pick<Sample, 'memoryMiB' | 'files'> {
  const folder = `/proc/${String(pid)}`;
  const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`${folder}/status`, 'utf8')) ?? [];
  return { memoryMiB: Number(kib) / 1_024, files: readdirSync(`${folder}/fd`).length };
}

interface DatabaseColumns {
  connections: number;
  changed: number;
  whole: number;
  charges: number;
}

async function readDatabase(
  pool: pg.Pool,
): Promise<Pick<Sample, 'connections' | 'changedMiB' | 'mibPerThousandCharges'>> {
  const { rows } = await pool.query<DatabaseColumns>(
    `SELECT (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS connections,
            (SELECT sum(pg_total_relation_size(name::regclass))::float8 FROM unnest($1::text[]) AS name) AS changed,
            pg_database_size(current_database())::float8 AS whole,
            (SELECT count(*)::int FROM usage_record) AS charges`,
    [CHANGED_TABLES],
  );
  const [row] = rows;
  if (!row) throw new Error('PostgreSQL answered no row');
  return {
    connections: row.connections,
    changedMiB: row.changed / MIB,
    mibPerThousandCharges: row.charges === 0 ? undefined : row.whole / MIB / (row.charges / 1_000),
  };
}
