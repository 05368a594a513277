import { accountsWithin, type Accounts, type Actor } from '@farebox/accounts';
import { type Queryable, withTransaction } from '@farebox/database';
import { uuidV7 } from '@farebox/auth';
import type { Pool, PoolClient } from 'pg';
import type { Report } from './report';

/**
 * `attempted` and then `done` or `failed` for an action outside of the database. Only `done`, with its
 * commit, for the rest.
 */
export type ActionOutcome = 'done' | 'attempted' | 'failed';

/**
 * A summary of the action in a few words and numbers, named as in the command's `--json`. Amounts are decimal
 * texts.
 */
export type ActionDetails = Readonly<Record<string, string | number | boolean | null>>;

/** One row of the audit log. `action`: the words of the verb, `account fund`. */
export interface OperatorAction extends Acting {
  /** Public id or number of the target: `acct_…`, `rev_…`, `INV-…`; null if it is not a single thing. */
  target: string | null;
  outcome: ActionOutcome;
  /** Never a key, a token, a link or a password. */
  details: ActionDetails;
}

/**
 * Records an operator's action in the audit log, which nobody can change afterwards. `db` is the client of
 * the action's transaction, so that both commit together. Commands do not call this: they run through
 * `VerbRunner.change`, whose `record` does.
 */
async function recordAction(
  db: Pick<Pool, 'query'>,
  { operator, via, network, action, target, outcome, details }: OperatorAction,
): Promise<void> {
  await db.query(
    `INSERT INTO operator_action (id, operator, via, network, action, target, outcome, details)
     VALUES ($1, $2, $3::operator_channel, $4::inet, $5, $6, $7::operator_action_outcome, $8)`,
    [uuidV7(), operator, via, network, action, target, outcome, JSON.stringify(details)],
  );
}

/** The context of a changing command. */
export interface Change {
  /** The transaction's client: everything written through it commits together with the record. */
  client: PoolClient;
  /** Changes within the transaction. */
  accounts: Accounts;
  /** The acting operator. */
  operator: string;
  /** The same, for the events of an account's credentials. */
  actor: Actor;
  /**
   * Records the action in the audit log with its target: the public id or number, null if it is not a single
   * thing. `details` are named as in the command's `--json`, and never contain a key, a token, a link or a
   * password.
   */
  record: (target: string | null, details?: ActionDetails) => Promise<void>;
  /** For money of an existing account: outside of the transaction, which would hold its lock. */
  noting: Movement['noting'];
}

/** The operator, how they reached the service, and their action. */
export interface Acting {
  operator: string;
  /** `schedule`: the worker, at the time that they gave. */
  via: 'shell' | 'session' | 'key' | 'schedule';
  /** Set for an operator who used the API. */
  network: string | null;
  action: string;
}

/**
 * Runs a change and records it in the audit log in one transaction. A command that neither records an action
 * nor reports `unchanged` is a bug: nothing of it is committed.
 */
export function runChange(
  pool: Pool,
  acting: Acting,
  command: (change: Change) => Promise<Report>,
): Promise<Report> {
  const { operator, action } = acting;
  return withTransaction(pool, async (client) => {
    let isRecorded = false;
    const report = await command({
      client,
      accounts: accountsWithin(client),
      actor: { kind: 'operator', name: operator },
      operator,
      noting: notingOn(pool, acting),
      async record(target, details = {}) {
        await recordAction(client, { ...acting, target, outcome: 'done', details });
        isRecorded = true;
      },
    });
    if (isRecorded === (report.unchanged === true)) {
      throw new Error(`"${action}" does not say what it changed: nothing was changed`);
    }
    return report;
  });
}

/** The record of a money movement in the audit log. */
interface MovementNote {
  /** The public id of the target. */
  target: string;
  details: ActionDetails;
  /** SQL over the columns of the statement's result: whether it changed anything. */
  when: string;
  /** SQL over the same columns: a `jsonb` of further details known only from the result. */
  answered?: string;
}

/** The context of a command that moves money, without a surrounding transaction. */
export interface Movement {
  /** For reading, before and after. */
  pool: Pool;
  /** The acting operator. */
  operator: string;
  /**
   * Runs one statement, `query(text, values)`, which moves the money and writes the audit log in the same
   * round trip.
   */
  noting: (note: MovementNote) => Queryable;
}

/**
 * Moves money in one call. It locks an account, whose requests wait for that lock: in a transaction of
 * several round trips they would wait for the operator's network, however slow.
 */
export async function runMovement(
  pool: Pool,
  acting: Acting,
  command: (movement: Movement) => Promise<Report>,
): Promise<Report> {
  return command({ pool, operator: acting.operator, noting: notingOn(pool, acting) });
}

/** See `Movement.noting`. */
function notingOn(pool: Pool, acting: Acting): Movement['noting'] {
  return (note) => notingQueryable(pool, acting, note);
}

function notingQueryable(
  pool: Pool,
  { operator, via, network, action }: Acting,
  { target, details, when, answered = `'{}'::jsonb` }: MovementNote,
): Queryable {
  const query = (text: string, values: readonly unknown[]): Promise<unknown> => {
    const noted = [uuidV7(), operator, via, network, action, target, JSON.stringify(details)];
    const [id, by, through, from, what, to, how] = noted.map((_, i) => `$${String(values.length + i + 1)}`);
    return pool.query(
      `WITH moved AS MATERIALIZED (${text}),
       noted AS (
         INSERT INTO operator_action (id, operator, via, network, action, target, outcome, details)
         SELECT ${id}::uuid, ${by}, ${through}::operator_channel, ${from}::inet, ${what}, ${to}, 'done', ${how}::jsonb || ${answered} FROM moved WHERE ${when}
       )
       SELECT * FROM moved`,
      [...values, ...noted],
    );
  };
  return { query } as Queryable;
}

/** An action about to begin, for the audit log: see `OperatorAction`. */
export interface Attempted {
  target: string | null;
  details?: ActionDetails;
}

/**
 * Runs an action that no database transaction covers: records the attempt, runs it, and records the outcome.
 * If the process dies in between, only the attempt is recorded. Errors are rethrown; the action may have
 * happened in part.
 */
export async function runAttempt(
  pool: Pool,
  { target, details = {}, ...acting }: Acting & Attempted,
  command: (pool: Pool) => Promise<Report>,
): Promise<Report> {
  const record = (outcome: OperatorAction['outcome']): Promise<void> =>
    recordAction(pool, { ...acting, target, outcome, details });

  await record('attempted');
  try {
    const report = await command(pool);
    await record('done');
    return report;
  } catch (error) {
    await record('failed').catch(() => undefined); // the original error is the one to report
    throw error;
  }
}
