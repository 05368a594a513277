import type { Pool, PoolClient } from 'pg';

/** What a statement goes through: a pool, or the connection of a transaction. */
export type Queryable = Pick<Pool, 'query'>;

const UNIQUE_VIOLATION = new Set(['23505', 'P2002']);

/** A row with this value of a unique column exists already. Takes errors of pg and of Prisma, as all here do. */
export function isUniqueViolation(error: unknown): boolean {
  return evidenceOf(error).codes.some((code) => UNIQUE_VIOLATION.has(code));
}

const CONFLICTS = new Set(['40001', '40P01', 'P2034']);

/** The server rolled the transaction back because of others (serialization failure, deadlock): nothing happened. */
export function isConflict(error: unknown): boolean {
  return evidenceOf(error).codes.some((code) => CONFLICTS.has(code));
}

const UNAVAILABLE = new Set([
  // Node, about a connection.
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
  // Prisma and its driver adapter, about a connection.
  ...['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2037'],
  ...['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout', 'TooManyConnections'],
  // PostgreSQL: a lock was not to be had in time, a session idled too long.
  ...['55P03', '25P03', '25P04'],
]);

/** Classes of SQLSTATE: connection exception, insufficient resources, operator intervention (shutdown, time-out). */
const UNAVAILABLE_STATE = /^(08|53|57)[0-9A-Z]{3}$/;

/** What pg throws about a connection without a code. */
const PG_CONNECTION_MESSAGE =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client (was closed|has encountered))/;

/** The database cannot be reached, is overloaded, or did not answer in time. What was under way may have happened. */
export function isDatabaseUnavailable(error: unknown): boolean {
  const { codes, messages } = evidenceOf(error);
  return (
    codes.some((code) => UNAVAILABLE.has(code) || UNAVAILABLE_STATE.test(code)) ||
    messages.some((message) => PG_CONNECTION_MESSAGE.test(message))
  );
}

/** The same may succeed a moment later. Whether it is safe to repeat is the caller's to know. */
export function isRetryable(error: unknown): boolean {
  return isConflict(error) || isDatabaseUnavailable(error);
}

/** What an error and the errors behind it say about their reason. */
interface ErrorEvidence {
  /** SQLSTATE, Node's code, Prisma's code, and the kind that Prisma's driver adapter gives. */
  codes: string[];
  messages: string[];
}

const MAX_DEPTH = 5;

/**
 * Collects the codes of an error and of what it wraps. pg throws the server's answer itself, Node an
 * `AggregateError` where a name has several addresses, and Prisma an error of its own which keeps the driver's
 * under `meta.driverAdapterError`. Looks at shapes only, as the classes differ between bundles and realms.
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
 * A deadlock or a serialization failure is tried again, three times, after a short random pause: `work` must have no
 * effect outside of the transaction. A lost connection is not tried again, as the commit may have happened.
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
    // PostgreSQL answers COMMIT with ROLLBACK, and no error, where a statement had failed and `work` hid it.
    if (command !== 'COMMIT') throw new Error('the transaction was rolled back by the server');
    return result;
  } catch (error) {
    broken = await rollBack(client);
    throw error;
  } finally {
    client.release(broken);
  }
}

/** The error that makes the connection unusable, if any. */
async function rollBack(client: PoolClient): Promise<Error | undefined> {
  try {
    await client.query('ROLLBACK');
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error('rollback failed', { cause: error });
  }
}

/** So that one call is not without end: what is left is for the next one. */
const MOST_PIECES = 500;

/**
 * Asks again and again for a piece of work, until a piece is smaller than `size`, its first parameter. The statement answers
 * one number, `count`. Answers their sum. Each piece is a transaction of its own, so that none holds locks for long.
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
