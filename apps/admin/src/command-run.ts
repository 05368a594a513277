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
   * Runs a command that changes something, in one transaction. It calls `record` once, or reports `unchanged`; else
   * nothing is committed. It may be run again after a conflict: no effect outside of the transaction.
   */
  change: (command: (change: Change) => Promise<Report>) => Promise<void>;
  /** Runs a command that moves money, in one call: no lock of an account is held across round trips. */
  move: (command: (movement: Movement) => Promise<Report>) => Promise<void>;
  /** As `change`, of what a long look at the books has found before the transaction begins. */
  lookThenChange: <Found>(
    look: (pool: Pool) => Promise<Found>,
    command: (change: Change, found: Found) => Promise<Report>,
  ) => Promise<void>;
  /** As `move` for each of what a look has found: each is a call and has a row in the audit log of its own. */
  moveEach: <Found>(
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

/** A command: what is known of it before it runs, and what it does. */
export interface CommandRow {
  /** What it does, in a sentence for `--help`. */
  help: string;
  /** Its arguments and options. */
  takes?: (command: Command) => Command;
  /** Command lines as an operator would write them. */
  examples: readonly string[];
  /** Its action, which is given its arguments and then its options. */
  run: (program: Program, command: Command) => (...given: never[]) => Promise<void>;
}

/** Commands by their words: `account fund`. */
export type CommandRows = Readonly<Record<string, CommandRow>>;

interface DatabaseRun extends Surroundings {
  wantsJson: boolean;
  /** The sessions refuse to write. */
  readOnly: boolean;
}

const LONGEST_COMMAND_MS = 3_600_000;
/** One that runs on a slow machine takes its time to let somebody in; one that is not there says so at once. */
const CONNECT_TIMEOUT_MS = 60_000;
const LOCK_TIMEOUT_MS = 5_000;

/** Runs a command on the database and prints its report. Returns the exit code. */
export async function runOnDatabase(
  run: DatabaseRun,
  command: (pool: Pool) => Promise<Report>,
): Promise<number> {
  // An operator waits, and a check of all books takes its time. For a lock nobody waits that long.
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
  /** Has the options that were given to the whole program. */
  root: Command;
  surroundings: Surroundings;
  onExitCode: (code: number) => void;
}

/**
 * What runs one command, under the options that were given to the whole program. `action` is its words (`account fund`),
 * by which the audit log names it.
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
 * Asks before what cannot be undone, unless `--yes` was given. Throws `CommandFailure` if the answer is no, and
 * `UsageError` if there is nobody to ask.
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
 * Who an act is recorded under: the name that was given with `--by`, else the operating system's.
 * Throws `CommandFailure` if there is neither.
 */
function requireOperatorName(
  given: string | undefined,
  { userName }: Pick<Surroundings, 'userName'>,
): string {
  const name = given ?? userName();
  if (!name) throw new CommandFailure('The operating system has no name for you: say who it is with --by.');
  return name;
}

/** A command that cannot do what it was asked. The message is one sentence for the operator. */
export class CommandFailure extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CommandFailure';
  }
}

/** A command line that lacks something which commander cannot know of. The message is one sentence for the operator. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/** What went wrong, one sentence a problem. Shows no secret. */
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

/** Each command reads what it needs, so that a ledger check asks for no pepper. All throw `ConfigError`. */
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

/** What a model is owned by if the catalogue file does not say it. */
export function readOwnedBy(environment: Environment): string {
  return toOwnedBy(loadConfig('admin', environment, ['FAREBOX_OPERATOR_NAME']).values.FAREBOX_OPERATOR_NAME);
}

export function readCatalogFile(environment: Environment): string {
  return loadConfig('admin', environment, ['FAREBOX_CATALOG']).values.FAREBOX_CATALOG;
}
