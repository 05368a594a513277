import type { Accounts } from '@farebox/accounts';
import type { Environment } from '@farebox/config';
import { assertMigrated, createPool } from '@farebox/database';
import type { Pool } from 'pg';
import type { Change } from './audit/run-change';
import type { Movement } from './audit/run-movement';
import type { Attempted } from './audit/run-attempt';
import { readDatabaseUrl } from './config';

/** What surrounds a run of the program. */
export interface Surroundings {
  environment: Environment;
  /** The operating system's name of who runs this; undefined if it has none, as of a bare uid in a container. */
  userName: () => string | undefined;
  /** Asks whoever sits at the terminal for a line; not there if nobody does, as in a script. */
  ask?: (question: string) => Promise<string>;
  out: (text: string) => void;
  err: (text: string) => void;
}

/** What a command has to say. */
export interface Report {
  /** For `--json`. */
  json: object;
  /** For a person. */
  text: string;
  /** Other than 0 if the answer itself is bad news. */
  exitCode?: number;
  /** A changing command that found everything as it was to be: it has no row in the audit log. */
  unchanged?: true;
}

/**
 * What the command files need to do their work. A command that changes something runs by `change`, or by `attempt` if
 * it changes what is not in the database: both write the audit log. Every other one runs by `read`.
 */
export interface Program {
  surroundings: Surroundings;
  wantsJson: () => boolean;
  /** Runs a command that only looks: PostgreSQL refuses what it would write. */
  read: (command: (pool: Pool, accounts: Accounts) => Promise<Report>) => Promise<void>;
  /** Runs a command that only looks, at more than the database, and opens by itself what it looks at. */
  look: (command: () => Promise<Report>) => Promise<void>;
  /**
   * Runs a command that changes something, in one transaction. `action` is its words (`account fund`). It calls `record`
   * once, or reports `unchanged`; else nothing is committed. It may be run again after a conflict: no effect outside of
   * the transaction.
   */
  change: (action: string, command: (change: Change) => Promise<Report>) => Promise<void>;
  /** Runs a command that moves money, in one call: no lock of an account is held across round trips. */
  move: (action: string, command: (movement: Movement) => Promise<Report>) => Promise<void>;
  /** As `change`, of what a long look at the books has found before the transaction begins. */
  lookThenChange: <Found>(
    action: string,
    look: (pool: Pool) => Promise<Found>,
    command: (change: Change, found: Found) => Promise<Report>,
  ) => Promise<void>;
  /** As `move` for each of what a look has found: each is a call and has a row in the audit log of its own. */
  moveEach: <Found>(
    action: string,
    look: (pool: Pool) => Promise<readonly Found[]>,
    command: (movement: Movement, found: Found) => Promise<Report>,
    conclude: (reports: readonly Report[]) => Report,
  ) => Promise<void>;
  /** Runs a command that changes something outside of the database: recorded before it begins and when it has ended. */
  attempt: (attempted: Attempted, command: (pool: Pool) => Promise<Report>) => Promise<void>;
  /**
   * Asks before what cannot be undone; `yes` is the `--yes` of the command. To be called before `change`.
   * Throws `CommandFailure`, and `UsageError` if there is nobody to ask.
   */
  confirm: (question: string, yes: boolean | undefined) => Promise<void>;
}

export interface DatabaseRun extends Surroundings {
  wantsJson: boolean;
  /** The sessions refuse to write. */
  readOnly: boolean;
}

const LONGEST_COMMAND_MS = 3_600_000;
const LOCK_TIMEOUT_MS = 5_000;

/** Runs a command on the database and prints its report. Answers with the exit code. */
export async function runOnDatabase(
  run: DatabaseRun,
  command: (pool: Pool) => Promise<Report>,
): Promise<number> {
  // An operator waits, and a check of all books takes its time. For a lock nobody waits that long.
  const pool = createPool({
    url: readDatabaseUrl(run.environment),
    max: 2,
    applicationName: 'farebox-admin',
    statementTimeoutMs: LONGEST_COMMAND_MS,
    lockTimeoutMs: LOCK_TIMEOUT_MS,
    readOnly: run.readOnly,
  });
  try {
    await assertMigrated(pool);
    return printReport(run, await command(pool));
  } finally {
    await pool.end();
  }
}

/** Answers with the exit code. */
export function printReport(
  { wantsJson, out }: Pick<DatabaseRun, 'wantsJson' | 'out'>,
  { json, text, exitCode = 0 }: Report,
): number {
  out(wantsJson ? `${JSON.stringify(json)}\n` : `${text}\n`);
  return exitCode;
}
