import { type Accounts, openAccounts } from '@farebox/accounts';
import { CatalogError } from '@farebox/catalog';
import { ConfigError, type Environment, type KeyPepper, loadConfig, toOwnedBy } from '@farebox/config';
import { assertMigrated, createPool, isDatabaseUnavailable, NotMigratedError } from '@farebox/database';
import type { Command } from 'commander';
import type { Pool } from 'pg';
import {
  type Acting,
  type Attempted,
  type Change,
  type Movement,
  runAttempt,
  runChange,
  runMovement,
} from './audit-log';
import type { Report } from './report';

/** The environment of a run of the program. */
export interface Surroundings {
  environment: Environment;
  /** The operating system's user name; undefined if it has none, such as for a bare uid in a container. */
  userName: () => string | undefined;
  /** Asks at the terminal for a line; undefined without a terminal, as in a script. */
  ask?: (question: string) => Promise<string>;
  out: (text: string) => void;
  err: (text: string) => void;
}

/**
 * The entry points of the commands. A command that changes something runs through `change`, or through
 * `attempt` if the change is outside of the database: both write the audit log. All others run through
 * `read`.
 */
export interface Program {
  surroundings: Surroundings;
  wantsJson: () => boolean;
  /** Runs a read-only command: PostgreSQL refuses writes. */
  read: (command: (pool: Pool, accounts: Accounts) => Promise<Report>) => Promise<void>;
  /** Runs a read-only command that reads more than the database, and opens its own connections. */
  look: (command: () => Promise<Report>) => Promise<void>;
  /**
   * Runs a changing command in one transaction. It must call `record` once or report `unchanged`, otherwise
   * nothing is committed. It may run again after a conflict, so it must have no effect outside of the
   * transaction.
   */
  change: (command: (change: Change) => Promise<Report>) => Promise<void>;
  /** Runs a command that moves money in one call: no account lock is held across round trips. */
  move: (command: (movement: Movement) => Promise<Report>) => Promise<void>;
  /** Like `change`, for the result of a long read of the books before the transaction begins. */
  lookThenChange: <Found>(
    look: (pool: Pool) => Promise<Found>,
    command: (change: Change, found: Found) => Promise<Report>,
  ) => Promise<void>;
  /**
   * Like `move`, for each item that a read has found: each is a separate call with its own row in the audit
   * log.
   */
  moveEach: <Found>(
    look: (pool: Pool) => Promise<readonly Found[]>,
    command: (movement: Movement, found: Found) => Promise<Report>,
    conclude: (reports: readonly Report[]) => Report,
  ) => Promise<void>;
  /**
   * Runs a command that changes something outside of the database: recorded before it begins and when it has
   * ended.
   */
  attempt: (attempted: Attempted, command: (pool: Pool) => Promise<Report>) => Promise<void>;
  /**
   * Asks before an irreversible action; `yes` is the command's `--yes`. Call it before `change`. Throws
   * `CommandFailure`, or `UsageError` if there is no terminal.
   */
  confirm: (question: string, yes: boolean | undefined) => Promise<void>;
}

/** The declaration of a command, and its action. */
export interface CommandRow {
  /** One sentence for `--help`. */
  help: string;
  /** Its arguments and options. */
  takes?: (command: Command) => Command;
  /** Command lines as an operator would write them. */
  examples: readonly string[];
  /** The action, called with the arguments and then the options. */
  run: (program: Program, command: Command) => (...given: never[]) => Promise<void>;
}

/** Commands by their words: `account fund`. */
export type CommandRows = Readonly<Record<string, CommandRow>>;

interface DatabaseRun extends Surroundings {
  wantsJson: boolean;
  /** Sessions refuse writes. */
  readOnly: boolean;
}

const LONGEST_COMMAND_MS = 3_600_000;
/** A slow machine may take long to accept a connection; a missing server fails at once. */
const CONNECT_TIMEOUT_MS = 60_000;
const LOCK_TIMEOUT_MS = 5_000;

/** Runs a command on the database and prints its report. Returns the exit code. */
export async function runOnDatabase(
  run: DatabaseRun,
  command: (pool: Pool) => Promise<Report>,
): Promise<number> {
  // An operator can wait, and a check of all books takes long. Waits for locks stay short.
  const pool = createPool({
    url: readDatabaseUrl(run.environment),
    max: 2,
    applicationName: 'farebox-admin',
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
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

/** Returns the exit code. */
function printReport(
  { wantsJson, out }: Pick<DatabaseRun, 'wantsJson' | 'out'>,
  { json, text, exitCode = 0 }: Report,
): number {
  out(wantsJson ? `${JSON.stringify(json)}\n` : `${text}\n`);
  return exitCode;
}

interface ProgramParts {
  /** Provides the options of the whole program. */
  root: Command;
  surroundings: Surroundings;
  onExitCode: (code: number) => void;
}

/**
 * Creates the entry points of one command, with the options of the whole program. `action` is the command's
 * words (`account fund`), as recorded in the audit log.
 */
export function createCommandRunner(
  { root, surroundings, onExitCode }: ProgramParts,
  action: string,
): Program {
  const options = () => root.opts<{ json?: boolean; by?: string }>();
  const wantsJson = (): boolean => options().json === true;
  const acting = (): Acting => ({ operator: requireOperatorName(options().by, surroundings), action });
  const run = async (readOnly: boolean, command: (pool: Pool) => Promise<Report>): Promise<void> => {
    onExitCode(await runOnDatabase({ ...surroundings, wantsJson: wantsJson(), readOnly }, command));
  };
  return {
    surroundings,
    wantsJson,
    read: (command) => run(true, (pool) => command(pool, openAccounts(pool))),
    look: async (command) => {
      onExitCode(printReport({ ...surroundings, wantsJson: wantsJson() }, await command()));
    },
    async change(command) {
      const who = acting();
      await run(false, (pool) => runChange(pool, who, command));
    },
    async move(command) {
      const who = acting();
      await run(false, (pool) => runMovement(pool, who, command));
    },
    async lookThenChange(look, command) {
      const who = acting();
      await run(false, async (pool) => {
        const found = await look(pool);
        return runChange(pool, who, (made) => command(made, found));
      });
    },
    async moveEach(look, command, conclude) {
      const who = acting();
      await run(false, async (pool) => {
        const reports: Report[] = [];
        for (const found of await look(pool))
          reports.push(await runMovement(pool, who, (made) => command(made, found)));
        return conclude(reports);
      });
    },
    async attempt(attempted, command) {
      const who = acting();
      await run(false, (pool) => runAttempt(pool, { ...who, ...attempted }, command));
    },
    confirm: (question, yes) => confirm(surroundings, question, yes),
  };
}

/**
 * Asks before an irreversible action, unless `--yes` was given. Throws `CommandFailure` if the answer is no,
 * and `UsageError` if there is no terminal.
 */
export async function confirm(
  { ask }: Pick<Surroundings, 'ask'>,
  question: string,
  yes: boolean | undefined,
): Promise<void> {
  if (yes === true) return;
  if (!ask) {
    throw new UsageError('This cannot be undone, and there is no terminal to ask at: confirm it with --yes.');
  }
  const answer = await ask(`${question} This cannot be undone. Go on? [y/N] `);
  if (!/^y(?:es)?$/i.test(answer.trim())) throw new CommandFailure('Nothing was changed.');
}

/**
 * The operator recorded for an action: the name given with `--by`, or the operating system's user. Throws
 * `CommandFailure` if there is neither.
 */
function requireOperatorName(
  given: string | undefined,
  { userName }: Pick<Surroundings, 'userName'>,
): string {
  const name = given ?? userName();
  if (!name) throw new CommandFailure('The operating system has no name for you: say who it is with --by.');
  return name;
}

/** A command cannot do what was asked. The message is one sentence for the operator. */
export class CommandFailure extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CommandFailure';
  }
}

/**
 * A command line with a mistake that commander cannot detect. The message is one sentence for the operator.
 */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/** The reasons of a failure, one sentence each. Contains no secret. */
export function describeFailure(error: unknown): readonly string[] {
  if (error instanceof CommandFailure || error instanceof UsageError || error instanceof NotMigratedError) {
    return [error.message];
  }
  if (error instanceof ConfigError) return error.problems;
  if (error instanceof CatalogError)
    return error.problems.map((problem) => `The catalogue is not valid: ${problem}`);
  if (isDatabaseUnavailable(error))
    return ['The database of DATABASE_URL cannot be reached, or did not answer in time.'];
  return [error instanceof Error ? `The command failed: ${error.message}` : 'The command failed.'];
}

/**
 * Each command reads only what it needs, so that a ledger check requires no pepper. All throw `ConfigError`.
 */
function readDatabaseUrl(environment: Environment): string {
  return loadConfig('admin', environment, ['DATABASE_URL']).values.DATABASE_URL;
}

export function readKeyPeppers(environment: Environment): KeyPepper[] {
  return loadConfig('admin', environment, ['FAREBOX_KEY_PEPPERS']).values.FAREBOX_KEY_PEPPERS;
}

/** The origin that links lead to. */
export function readPublicUrl(environment: Environment): string {
  return loadConfig('admin', environment, ['FAREBOX_PUBLIC_URL']).values.FAREBOX_PUBLIC_URL;
}

/** The default owner of a model in the catalogue file. */
export function readOwnedBy(environment: Environment): string {
  return toOwnedBy(loadConfig('admin', environment, ['FAREBOX_OPERATOR_NAME']).values.FAREBOX_OPERATOR_NAME);
}

export function readCatalogFile(environment: Environment): string {
  return loadConfig('admin', environment, ['FAREBOX_CATALOG']).values.FAREBOX_CATALOG;
}
