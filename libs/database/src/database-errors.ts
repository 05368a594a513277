import { NotMigratedError } from './assert-migrated';
import { evidenceOf } from './error-evidence';

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
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client (was closed|has encountered))/;

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

/** Why a process cannot begin with its database, as a sentence for the operator; undefined for any other error. */
export function describeDatabaseError(error: unknown): string | undefined {
  if (error instanceof NotMigratedError) return error.message;
  if (!isDatabaseUnavailable(error)) return undefined;
  const [code] = evidenceOf(error).codes;
  return `The database of DATABASE_URL cannot be reached${code === undefined ? '' : ` (${code})`}.`;
}
