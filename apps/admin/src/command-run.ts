import type { Environment } from '@farebox/config';
import { loadConfig } from '@farebox/config';
import { assertMigrated, createPool } from '@farebox/database';
import { CommandFailure, createVerbRunner, UsageError, type Report, type VerbRunner } from '@farebox/verbs';
import type { Command } from 'commander';
import type { Pool } from 'pg';
import { readPieces, readText, writeNewFile } from './read-text';

/** The environment of a run of the program. */
export interface Surroundings {
  environment: Environment;
  /** The operating system's user name; undefined if it has none, such as for a bare uid in a container. */
  userName: () => string | undefined;
  /** Asks at the terminal for a line; undefined without a terminal, as in a script. */
  ask?: (question: string) => Promise<string>;
  out: (text: string) => void;
  err: (text: string) => void;
  /** How this program is called, in place of `admin`: for commands that texts name. */
  calledAs?: string | undefined;
}

/** Shared by all commands of one run of the program. */
export interface ProgramParts {
  /** Provides the options of the whole program. */
  root: Command;
  surroundings: Surroundings;
  onExitCode: (code: number) => void;
}

/** The entry points of one verb at the shell. `action` is its words (`account fund`), for the audit log. */
export function createCommandRunner(
  { root, surroundings, onExitCode }: ProgramParts,
  action: string,
): VerbRunner {
  const { environment, out, err } = surroundings;
  const options = () => root.opts<{ json?: boolean; by?: string }>();
  return createVerbRunner({
    environment,
    acting: () => ({
      ...{ operator: requireOperatorName(options().by, surroundings), via: 'shell', network: null },
      action,
    }),
    onDatabase: (access, work) => runOnDatabase(environment, access, work),
    deliver({ json, text, exitCode = 0 }) {
      out(options().json === true ? `${JSON.stringify(json)}\n` : `${text}\n`);
      onExitCode(exitCode);
    },
    warn: (line) => {
      err(`${line}\n`);
    },
    progress: (line) => {
      if (options().json !== true) err(`${line}\n`);
    },
    confirm: (question, isConfirmed) => confirm(surroundings, question, isConfirmed),
    openFile: async (given, whenNotGiven) => {
      const name = given ?? whenNotGiven?.();
      if (name === undefined) throw new UsageError('Say which file.');
      return { name, text: await readText(name) };
    },
    openText: (name) => ({ name, pieces: () => readPieces(name) }),
    writeFile: writeNewFile,
  });
}

const LONGEST_COMMAND_MS = 3_600_000;
/** A slow machine may take long to accept a connection; a missing server fails at once. */
const CONNECT_TIMEOUT_MS = 60_000;
const LOCK_TIMEOUT_MS = 5_000;

/** Opens connections for one command, and closes them. Throws `ConfigError` and `NotMigratedError`. */
export async function runOnDatabase(
  environment: Environment,
  access: 'read' | 'write',
  command: (pool: Pool) => Promise<Report>,
): Promise<Report> {
  // An operator can wait, and a check of all books takes long. Waits for locks stay short.
  const pool = createPool({
    url: loadConfig('admin', environment, ['DATABASE_URL']).values.DATABASE_URL,
    max: 2,
    applicationName: 'farebox-admin',
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    statementTimeoutMs: LONGEST_COMMAND_MS,
    lockTimeoutMs: LOCK_TIMEOUT_MS,
    readOnly: access === 'read',
  });
  try {
    await assertMigrated(pool);
    return await command(pool);
  } finally {
    await pool.end();
  }
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
