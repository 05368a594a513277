import { Socket } from 'node:net';
import pg from 'pg';
import { FEW_ITEMS, fromOutcomes, toStatement, type BatchAnswer, type BatchCall } from './batch-call';

export type HoldState = 'held' | 'charged' | 'reviewed' | 'none';

/** The connection is gone, or did not answer in time. The running call may or may not have committed. */
export class ConnectionLostError extends Error {
  constructor(cause: unknown) {
    super('the connection to the ledger was lost', { cause });
    this.name = 'ConnectionLostError';
  }
}

export interface LedgerConnection {
  /** The answer comes as soon as the work is in force, and tells whether it is on disk. */
  call(call: BatchCall): Promise<BatchAnswer>;
  holdStates(holdIds: readonly string[]): Promise<HoldState[]>;
  /** Resolves when all earlier commits are durable, whoever made them. */
  flush(): Promise<void>;
  /** Calls back, once, when the connection is gone. */
  onLost(listener: () => void): void;
  /** The server process of this connection. */
  readonly backend: Backend;
  close(): Promise<void>;
}

/** A server process. Process numbers are reused; together with the start time they are unique. */
export interface Backend {
  pid: number;
  startedAt: string;
  /** The start time of the server itself, which distinguishes it from a standby that takes over. */
  server: string;
}

export interface ConnectionOptions {
  databaseUrl: string;
  gatewayInstanceId: string;
  /** Maximum bytes of kept answers per account at once. */
  keptBytesPerAccount: number;
  /** How long a call may take before the connection is closed. */
  callTimeoutMs: number;
  /** How long a call waits for a lock. */
  lockTimeoutMs: number;
  /** A server process whose work must have ended, committed or not, before the new connection is used. */
  predecessor?: Backend | undefined;
}

/**
 * Opens a separate connection for the ledger. If there was one before it, that one's server process is ended first:
 * only then is the database's reply about an uncertain call final. Throws `ConnectionLostError`.
 */
export async function openLedgerConnection(options: ConnectionOptions): Promise<LedgerConnection> {
  const socket = new Socket();
  const client = new pg.Client({
    connectionString: options.databaseUrl,
    application_name: 'farebox-ledger',
    stream: () => socket,
    connectionTimeoutMillis: options.callTimeoutMs,
    query_timeout: options.callTimeoutMs,
    lock_timeout: options.lockTimeoutMs,
    // Before the client's own time-out: a call that the server has cancelled is not uncertain.
    statement_timeout: Math.ceil(options.callTimeoutMs * 0.8),
    idle_in_transaction_session_timeout: options.callTimeoutMs,
    keepAlive: true,
  });
  let lost: unknown;
  let tellLost: (() => void) | undefined;
  const lose = (cause: unknown): void => {
    if (lost !== undefined) return;
    lost = cause;
    tellLost?.();
  };
  client.on('error', lose);
  client.on('end', () => {
    lose(new Error('the server closed the connection'));
  });

  async function query<Row extends pg.QueryResultRow>(config: pg.QueryConfig): Promise<Row[]> {
    if (lost !== undefined) throw new ConnectionLostError(lost);
    try {
      return (await client.query<Row>(config)).rows;
    } catch (error) {
      if (isAnsweredByServer(error)) throw error;
      lose(error);
      socket.destroy();
      throw new ConnectionLostError(error);
    }
  }

  try {
    await client.connect();
  } catch (error) {
    socket.destroy();
    throw new ConnectionLostError(error);
  }
  let backend: Backend;
  let durability: string;
  let fewItems: number;
  try {
    if (options.predecessor) await endBackend(query, options.predecessor, options.callTimeoutMs);
    await requireWrites(query);
    durability = await waitForNoDisk(query);
    fewItems = await planByKeys(query);
    await query({
      text: `SELECT set_config('farebox.kept_bytes_per_account', $1, false)`,
      values: [String(options.keptBytesPerAccount)],
    });
    backend = await readBackend(query);
  } catch (error) {
    // It is tried again and again: a connection that stayed open each time would use up those of the server.
    lost = error;
    socket.destroy();
    throw error;
  }

  return {
    backend,
    async call(call) {
      const [row] = await query<{ outcomes: string }>(
        toStatement(options.gatewayInstanceId, call, {
          durability: call.durably ? durability : undefined,
          fewItems,
        }),
      );
      try {
        if (!row) throw new Error('the ledger answered no row');
        const answer = fromOutcomes(call, row.outcomes);
        return { ...answer, isDurable: call.durably === true && hasWritten(answer) };
      } catch (error) {
        // It has committed, and its reply cannot be parsed: the database is asked for the state.
        lose(error);
        socket.destroy();
        throw new ConnectionLostError(error);
      }
    },
    async holdStates(holdIds) {
      const text = `SELECT array_to_string(ledger_hold_states($1), ',') AS states`;
      const [row] = await query<{ states: string | null }>({ text, values: [holdIds] });
      return (row?.states?.split(',') ?? []) as HoldState[];
    },
    async flush() {
      await query({ name: 'ledger_flush', text: FLUSH_SQL, values: [durability] });
    },
    onLost(listener) {
      tellLost = listener;
      if (lost !== undefined) listener();
    },
    async close() {
      lose(new Error('the connection was closed'));
      await client.end();
    },
  };
}

/**
 * A transaction that only writes to the log: its commit waits until the log is on disk up to there, and on the
 * standbys if the server is set so. Only a transaction with a write waits.
 */
const FLUSH_SQL = `SELECT set_config('synchronous_commit', $1, true), pg_logical_emit_message(true, 'farebox', '')`;

/** Only a commit that has written something waits for the disk. */
function hasWritten({ settlements, admissions }: BatchAnswer): boolean {
  return (
    settlements.includes('resolved') ||
    admissions.some((result) => result !== 'contended' && result.outcome === 'admitted')
  );
}

type Query = <Row extends pg.QueryResultRow>(config: pg.QueryConfig) => Promise<Row[]>;

/**
 * A standby may not have seen yet how an uncertain call ended, and a primary that was demoted takes no further calls.
 * Another attempt finds the new primary.
 */
async function requireWrites(query: Query): Promise<void> {
  const text = `SELECT current_setting('transaction_read_only')::boolean AS refuses`;
  const [row] = await query<{ refuses: boolean }>({ text });
  if (row?.refuses !== false) throw new ConnectionLostError(new Error('the server takes no writes'));
}

/**
 * From now on a commit on this connection waits for the disk only if its transaction says so. Returns what a flush
 * must wait for: the server's setting, which may be more than `on` if there are standbys, and never `off`.
 */
async function waitForNoDisk(query: Query): Promise<string> {
  const text = `SELECT setting, set_config('synchronous_commit', 'off', false)
                FROM current_setting('synchronous_commit') AS setting`;
  const [row] = await query<{ setting: string }>({ text });
  return row === undefined || row.setting === 'off' ? 'on' : row.setting;
}

/**
 * Every row is found by its key, whatever the statistics said when the plan was made: a table that was small then, or
 * seems small beside the call, must not be read completely. Setting it in each call would take a lone charge a tenth
 * of its time. Returns the limit for row by row: tests change it in a session to cover both ways of writing.
 */
async function planByKeys(query: Query): Promise<number> {
  const text = `SELECT set_config('enable_seqscan', 'off', false), set_config('enable_hashjoin', 'off', false),
                       set_config('enable_mergejoin', 'off', false), set_config('enable_material', 'off', false),
                       set_config('random_page_cost', '0.01', false),
                       set_config('plan_cache_mode', 'force_generic_plan', false),
                       nullif(current_setting('farebox.few_items', true), '')::int AS few`;
  const [row] = await query<{ few: number | null }>({ text });
  return row?.few ?? FEW_ITEMS;
}

async function readBackend(query: Query): Promise<Backend> {
  const text = `SELECT pid, backend_start::text AS started_at,
                       extract(epoch FROM pg_postmaster_start_time())::text AS server
                FROM pg_stat_activity WHERE pid = pg_backend_pid()`;
  const [row] = await query<{ pid: number; started_at: string; server: string }>({ text });
  if (!row) throw new Error('pg_stat_activity does not show this connection');
  return { pid: row.pid, startedAt: row.started_at, server: row.server };
}

async function endBackend(query: Query, backend: Backend, timeoutMs: number): Promise<void> {
  const text = `SELECT pg_terminate_backend(pid, $3) AS ended FROM pg_stat_activity
                WHERE pid = $1 AND backend_start::text = $2`;
  const [row] = await query<{ ended: boolean }>({
    text,
    values: [backend.pid, backend.startedAt, Math.floor(timeoutMs / 2)],
  });
  if (row && !row.ended)
    throw new ConnectionLostError(new Error('the former server process has not ended yet'));
}

/**
 * Whether the server itself refused the statement, so that the transaction is known to be rolled back, and can take
 * another one.
 */
function isAnsweredByServer(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return false;
  const code = error.code ?? '';
  // 08: connection exceptions; 57P01 to 57P03: the server is going down, was killed, or is starting up; 25006: it takes
  // no writes, as a standby or a primary that was demoted.
  return !code.startsWith('08') && !/^(57P0[1-3]|25006)$/.test(code);
}
