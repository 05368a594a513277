import { accountsWithin, type Accounts, type Actor } from '@farebox/accounts';
import { type Queryable, withTransaction } from '@farebox/database';
import { uuidV7 } from '@farebox/auth';
import type { Pool, PoolClient } from 'pg';
import type { Report } from './report';

/** `attempted` and then `done` or `failed`: of what is done outside of the database. `done` alone: with its commit. */
export type ActionOutcome = 'done' | 'attempted' | 'failed';

/** What was done, in a few words and numbers, as the command's `--json` names them. Amounts are decimal texts. */
export type ActionDetails = Readonly<Record<string, string | number | boolean | null>>;

/** One row of the audit log. */
export interface OperatorAction {
  /** Who did it. */
  operator: string;
  /** The words of the command: `account fund`. */
  action: string;
  /** Public id or number of what it was done to: `acct_…`, `rev_…`, `INV-…`; null if it is no one thing. */
  target: string | null;
  outcome: ActionOutcome;
  /** Never a key, a token, a link or a password. */
  details: ActionDetails;
}

/**
 * Writes what an operator did into the audit log, which nobody can change afterwards. `db` is the client of the
 * transaction in which it is done, so that there is neither the one without the other. A command does not call this: it
 * runs by `Program.change`, whose `record` does.
 */
async function recordAction(
  db: Pick<Pool, 'query'>,
  { operator, action, target, outcome, details }: OperatorAction,
): Promise<void> {
  await db.query(
    `INSERT INTO operator_action (id, operator, action, target, outcome, details)
     VALUES ($1, $2, $3, $4, $5::operator_action_outcome, $6)`,
    [uuidV7(), operator, action, target, outcome, JSON.stringify(details)],
  );
}

/** What a changing command works with. */
export interface Change {
  /** Of the transaction: what is written through it is committed together with what is recorded. */
  client: PoolClient;
  /** Changed in the transaction. */
  accounts: Accounts;
  /** Who does it. */
  operator: string;
  /** The same, for what notes it with an account's credentials. */
  actor: Actor;
  /**
   * Notes in the audit log what was done, to what: its public id or number, null if it is no one thing. `details` as
   * the command's `--json` names them, and never a key, a token, a link or a password.
   */
  record: (target: string | null, details?: ActionDetails) => Promise<void>;
  /** For money of an account that is there already: outside of the transaction, which would keep its lock. */
  noting: Movement['noting'];
}

/** Who does what. */
export interface Acting {
  operator: string;
  action: string;
}

/**
 * Does a change and its row in the audit log in one transaction. A command that neither records what it did nor reports
 * that it found everything as it was to be is a mistake of ours: nothing of it is committed.
 */
export function runChange(
  pool: Pool,
  { operator, action }: Acting,
  command: (change: Change) => Promise<Report>,
): Promise<Report> {
  return withTransaction(pool, async (client) => {
    let isRecorded = false;
    const report = await command({
      client,
      accounts: accountsWithin(client),
      actor: { kind: 'operator', name: operator },
      operator,
      noting: notingOn(pool, { operator, action }),
      async record(target, details = {}) {
        await recordAction(client, { operator, action, target, outcome: 'done', details });
        isRecorded = true;
      },
    });
    if (isRecorded === (report.unchanged === true)) {
      throw new Error(`"${action}" does not say what it changed: nothing was changed`);
    }
    return report;
  });
}

/** What is noted in the audit log of a movement of money. */
interface MovementNote {
  /** The public id of what is changed. */
  target: string;
  details: ActionDetails;
  /** SQL, over the columns of the statement's answer: whether it changed anything. */
  when: string;
  /** SQL, likewise: a `jsonb` of further details that are only known from the answer. */
  answered?: string;
}

/** What a command that moves money works with: there is no transaction around it. */
export interface Movement {
  /** For looking, before and after. */
  pool: Pool;
  /** Who does it. */
  operator: string;
  /** Takes one statement, `query(text, values)`, which moves the money and writes the audit log in the same round trip. */
  noting: (note: MovementNote) => Queryable;
}

/**
 * Moves money in one call. It takes the lock of an account, behind which the account's requests wait: in a transaction
 * of several round trips they would wait for an operator's network, however long it is away.
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
  { operator, action }: Acting,
  { target, details, when, answered = `'{}'::jsonb` }: MovementNote,
): Queryable {
  const query = (text: string, values: readonly unknown[]): Promise<unknown> => {
    const noted = [uuidV7(), operator, action, target, JSON.stringify(details)];
    const [id, by, what, to, how] = noted.map((_, i) => `$${String(values.length + i + 1)}`);
    return pool.query(
      `WITH moved AS MATERIALIZED (${text}),
       noted AS (
         INSERT INTO operator_action (id, operator, action, target, outcome, details)
         SELECT ${id}::uuid, ${by}, ${what}, ${to}, 'done', ${how}::jsonb || ${answered} FROM moved WHERE ${when}
       )
       SELECT * FROM moved`,
      [...values, ...noted],
    );
  };
  return { query } as Queryable;
}

/** What is about to be done, for the audit log: see `OperatorAction`. */
export interface Attempted {
  target: string | null;
  details?: ActionDetails;
}

/**
 * Does what no transaction of the database covers: writes that it is attempted, does it, and writes how it ended. Where
 * the process dies in between, the attempt stands alone. What has failed is thrown on, and may have happened in part.
 */
export async function runAttempt(
  pool: Pool,
  { operator, action, target, details = {} }: Acting & Attempted,
  command: (pool: Pool) => Promise<Report>,
): Promise<Report> {
  const record = (outcome: OperatorAction['outcome']): Promise<void> =>
    recordAction(pool, { operator, action, target, outcome, details });

  await record('attempted');
  try {
    const report = await command(pool);
    await record('done');
    return report;
  } catch (error) {
    await record('failed').catch(() => undefined); // the error under way is the one to be told
    throw error;
  }
}
