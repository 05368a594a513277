import { type Accounts, openAccounts } from '@farebox/accounts';
import type { Environment } from '@farebox/config';
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
import { CommandFailure } from './failures';
import type { Report } from './report';

/** Something that an operator does: its declaration and its action. */
export interface Verb {
  /** One sentence for `--help`, and for the document of the API. */
  help: string;
  /** Its arguments and options. The API takes the same ones by name. */
  takes?: (command: Command) => Command;
  /** Command lines as an operator would write them. */
  examples: readonly string[];
  /** The action, called with the arguments and then the options. */
  run: (runner: VerbRunner, command: Command) => (...given: never[]) => Promise<void>;
}

/** Verbs by their words: `account fund`. */
export type Verbs = Readonly<Record<string, Verb>>;

/** A text that the operator hands over: the catalogue, a list of prices. */
export interface GivenFile {
  /** For messages. */
  name: string;
  text: string;
}

/** A text that may be long. */
export interface GivenText {
  /** For messages. */
  name: string;
  /** Opens it, and reads it in pieces. Throws `CommandFailure` if it cannot be read. */
  pieces: () => AsyncIterable<string>;
}

/** Where a verb runs: at a shell, or for a request to the operator's API. */
export interface VerbHost {
  environment: Environment;
  /** False where the environment never has the secrets of upstreams. */
  hasUpstreamSecrets?: false;
  /** The operator who acts. Throws `CommandFailure` if nobody is known. */
  acting: () => Acting;
  /** Calls `work` with connections that PostgreSQL refuses writes on, or not. */
  onDatabase: (access: 'read' | 'write', work: (pool: Pool) => Promise<Report>) => Promise<Report>;
  /** Takes the report of the verb. */
  deliver: (report: Report) => void;
  /** Takes a warning, which goes before a question. */
  warn: (line: string) => void;
  /** Takes a line about work that goes on, for a person who waits. */
  progress: (line: string) => void;
  /**
   * Asks before an action that cannot be undone, unless it is confirmed already. Throws `CommandFailure` if the
   * answer is no, and `UsageError` if nobody can be asked.
   */
  confirm: (question: string, isConfirmed: boolean | undefined) => Promise<void>;
  /** Opens a `<file>` parameter; `whenNotGiven` is its default at a shell. Throws `CommandFailure`. */
  openFile: (given: string | undefined, whenNotGiven?: () => string) => Promise<GivenFile>;
  /** Opens a `<file>` parameter that may be long. Without it, it is read whole. */
  openText?: (given: string) => GivenText;
  /** Writes a new file, where there are files. Throws `CommandFailure`, also if there is such a file. */
  writeFile?: (name: string, text: string) => Promise<void>;
}

/**
 * The entry points of verbs. One that changes something runs through `change`, or through `attempt` if the
 * change is outside of the database: both write the audit log. All others run through `read`.
 */
export interface VerbRunner
  extends
    Pick<VerbHost, 'environment' | 'warn' | 'progress' | 'confirm' | 'openFile'>,
    Required<Pick<VerbHost, 'openText' | 'writeFile'>> {
  hasUpstreamSecrets: boolean;
  /** Reads what a verb needs to know before it runs. */
  find: <Found>(look: (pool: Pool, accounts: Accounts) => Promise<Found>) => Promise<Found>;
  /** Runs a read-only verb: PostgreSQL refuses writes. */
  read: (verb: (pool: Pool, accounts: Accounts) => Promise<Report>) => Promise<void>;
  /** Runs a read-only verb that reads more than the database, and opens its own connections. */
  look: (verb: () => Promise<Report>) => Promise<void>;
  /**
   * Runs a changing verb in one transaction. It must call `record` once or report `unchanged`, otherwise nothing
   * is committed. It may run again after a conflict, so it must have no effect outside of the transaction.
   */
  change: (verb: (change: Change) => Promise<Report>) => Promise<void>;
  /** Runs a verb that moves money in one call: no account lock is held across round trips. */
  move: (verb: (movement: Movement) => Promise<Report>) => Promise<void>;
  /** Like `change`, for the result of a long read of the books before the transaction begins. */
  lookThenChange: <Found>(
    look: (pool: Pool) => Promise<Found>,
    verb: (change: Change, found: Found) => Promise<Report>,
  ) => Promise<void>;
  /**
   * Like `move`, for each item that a read has found: each is a separate call with its own row in the audit
   * log.
   */
  moveEach: <Found>(
    look: (pool: Pool) => Promise<readonly Found[]>,
    verb: (movement: Movement, found: Found) => Promise<Report>,
    conclude: (reports: readonly Report[]) => Report,
  ) => Promise<void>;
  /**
   * Runs a verb that changes something outside of the database: recorded before it begins and when it has ended.
   */
  attempt: (attempted: Attempted, verb: (pool: Pool) => Promise<Report>) => Promise<void>;
}

/** The entry points of one verb at its host. */
export function createVerbRunner(host: VerbHost): VerbRunner {
  const { environment, acting, onDatabase, deliver, warn, progress, confirm, openFile } = host;
  const { openText = wholeText(openFile), writeFile = refuseToWrite, hasUpstreamSecrets = true } = host;
  const write = async (work: (pool: Pool, acting: Acting) => Promise<Report>): Promise<void> => {
    const who = acting();
    deliver(await onDatabase('write', (pool) => work(pool, who)));
  };
  return {
    ...{ environment, warn, progress, confirm, openFile, openText, writeFile, hasUpstreamSecrets },
    find: async (look) => {
      let found: { value: Awaited<ReturnType<typeof look>> } | undefined;
      await onDatabase('read', async (pool) => {
        found = { value: await look(pool, openAccounts(pool)) };
        return NO_REPORT;
      });
      if (!found) throw new Error('the database was not asked');
      return found.value;
    },
    read: async (verb) => {
      deliver(await onDatabase('read', (pool) => verb(pool, openAccounts(pool))));
    },
    look: async (verb) => {
      deliver(await verb());
    },
    change: (verb) => write((pool, who) => runChange(pool, who, verb)),
    move: (verb) => write((pool, who) => runMovement(pool, who, verb)),
    lookThenChange: (look, verb) =>
      write(async (pool, who) => {
        const found = await look(pool);
        return runChange(pool, who, (made) => verb(made, found));
      }),
    moveEach: (look, verb, conclude) =>
      write(async (pool, who) => {
        const reports: Report[] = [];
        for (const found of await look(pool))
          reports.push(await runMovement(pool, who, (made) => verb(made, found)));
        return conclude(reports);
      }),
    attempt: (attempted, verb) => write((pool, who) => runAttempt(pool, { ...who, ...attempted }, verb)),
  };
}

const NO_REPORT: Report = { json: {}, text: '' };

const wholeText =
  (openFile: VerbHost['openFile']) =>
  (given: string): GivenText => ({
    name: given,
    async *pieces() {
      yield (await openFile(given)).text;
    },
  });

const refuseToWrite = (name: string): Promise<void> =>
  Promise.reject(new CommandFailure(`${name} cannot be written here: files are written at a shell only.`));
