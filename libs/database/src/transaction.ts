import type { Pool, PoolClient } from 'pg';

/** Runs statements: a pool, or the connection of a transaction. */
export type Queryable = Pick<Pool, 'query'>;

const UNIQUE_VIOLATION = new Set(['23505', 'P2002']);

/**
 * A row with this value of a unique column exists already. Accepts errors of pg and of Prisma, as all
 * functions here do.
 */
export function isUniqueViolation(error: unknown): boolean {
  return evidenceOf(error).codes.some((code) => UNIQUE_VIOLATION.has(code));
}

const CONFLICTS = new Set(['40001', '40P01', 'P2034']);

/**
 * The server rolled the transaction back because of others (serialization failure, deadlock): nothing was
 * changed.
 */
export function isConflict(error: unknown): boolean {
  return evidenceOf(error).codes.some((code) => CONFLICTS.has(code));
}

const UNAVAILABLE = new Set([
  // Node's codes for connections.
  ...[
    'ECONNREFUSED',
    'ECONNRESET',
    'ENOTFOUND',
    'EAI_AGAIN',
    'ETIMEDOUT',
    'EPIPE',
    'EHOSTUNREACH',
    'ENETUNREACH',
  ],
  // Codes of Prisma and its driver adapter for connections.
  ...['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2037'],
  ...['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout', 'TooManyConnections'],
  // PostgreSQL: a lock was not available in time, or a session was idle too long.
  ...['55P03', '25P03', '25P04'],
  // A standby, or a primary that was demoted, takes no writes.
  '25006',
]);

/** Classes of SQLSTATE: connection exception, insufficient resources, operator intervention (shutdown, time-out). */
const UNAVAILABLE_STATE = /^(08|53|57)[0-9A-Z]{3}$/;

/** Messages of pg's connection errors that have no code. */
const PG_CONNECTION_MESSAGE =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client (was closed|has encountered))/;

/**
 * The database cannot be reached, is overloaded, or did not respond in time. The running statement may have
 * taken effect.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  const { codes, messages } = evidenceOf(error);
  return (
    codes.some((code) => UNAVAILABLE.has(code) || UNAVAILABLE_STATE.test(code)) ||
    messages.some((message) => PG_CONNECTION_MESSAGE.test(message))
  );
}

/** The server's disk has no room for what the statement writes. */
export function isDiskFull(error: unknown): boolean {
  return evidenceOf(error).codes.includes('53100');
}

/** A retry may succeed. The caller must know whether it is safe. */
export function isRetryable(error: unknown): boolean {
  return isConflict(error) || isDatabaseUnavailable(error);
}

/** The evidence of the reason in an error and its causes. */
interface ErrorEvidence {
  /** SQLSTATE, Node's code, Prisma's code, and the kind from Prisma's driver adapter. */
  codes: string[];
  messages: string[];
}

const MAX_DEPTH = 5;

/**
 * Collects the codes of an error and of its causes. pg throws the server's error itself, Node an
 * `AggregateError` if a name has several addresses, and Prisma its own error, which keeps the driver's under
 * `meta.driverAdapterError`. Checks only shapes, since classes differ between bundles and realms.
 */
export function evidenceOf(error: unknown): ErrorEvidence {
  const evidence: ErrorEvidence = { codes: [], messages: [] };
  collect(error, MAX_DEPTH, evidence);
  return evidence;
}

function collect(value: unknown, depthLeft: number, into: ErrorEvidence): void {
  if (typeof value !== 'object' || value === null || depthLeft === 0) return;
  const fields = value as Record<string, unknown>;
  for (const code of [fields.code, fields.originalCode, fields.kind]) {
    if (typeof code === 'string') into.codes.push(code);
  }
  if (typeof fields.message === 'string') into.messages.push(fields.message);

  const wrapped = Array.isArray(fields.errors) ? (fields.errors as unknown[]) : [];
  for (const next of [...wrapped, fields.cause, fields.meta, fields.driverAdapterError]) {
    collect(next, depthLeft - 1, into);
  }
}

const MAX_ATTEMPTS = 4;
const FIRST_PAUSE_MS = 5;

/**
 * Runs `work` in one transaction and commits it. Any error rolls back and is thrown.
 *
 *  A deadlock or a serialization failure is retried three times, after a short random pause: `work` must have
 *  no effect outside of the transaction. A lost connection is not retried, since the commit may have
 *  happened.
 */
export async function withTransaction<Result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await runOnce(pool, work);
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !isConflict(error)) throw error;
      await pause(Math.random() * FIRST_PAUSE_MS * 2 ** attempt);
    }
  }
}

async function runOnce<Result>(pool: Pool, work: (client: PoolClient) => Promise<Result>): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('BEGIN');
    const result = await work(client);
    const { command } = await client.query('COMMIT');
    // PostgreSQL responds to COMMIT with ROLLBACK, without an error, if a statement had failed and `work` hid
    // that.
    if (command !== 'COMMIT') throw new Error('the transaction was rolled back by the server');
    return result;
  } catch (error) {
    broken = await rollBack(client);
    throw error;
  } finally {
    client.release(broken);
  }
}

/** Returns the error that makes the connection unusable, if any. */
async function rollBack(client: PoolClient): Promise<Error | undefined> {
  try {
    await client.query('ROLLBACK');
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error('rollback failed', { cause: error });
  }
}

/** Bounds one call; the next call does the rest. */
const MOST_PIECES = 500;

/**
 * Repeats a statement in batches until it does less than `size`, its first parameter. The statement returns
 * one number, `count`. Returns their sum. Each batch is its own transaction, so that none holds locks for
 * long.
 */
export async function inPieces(
  db: Pick<Pool, 'query'>,
  sql: string,
  size: number,
  ...values: unknown[]
): Promise<number> {
  let done = 0;
  for (let pieces = 0; pieces < MOST_PIECES; pieces++) {
    const { rows } = await db.query<{ count: number }>(sql, [size, ...values]);
    const count = rows[0]?.count ?? 0;
    done += count;
    if (count < size) break;
  }
  return done;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
