import { uuidV7 } from '@farebox/ids';
import type { Pool } from 'pg';

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
  /** Public id or number of what it was done to: `acct_…`, `rev_…`, `INV-…`; null where it is no one thing. */
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
export async function recordAction(
  db: Pick<Pool, 'query'>,
  { operator, action, target, outcome, details }: OperatorAction,
): Promise<void> {
  await db.query(
    `INSERT INTO operator_action (id, operator, action, target, outcome, details)
     VALUES ($1, $2, $3, $4, $5::operator_action_outcome, $6)`,
    [uuidV7(), operator, action, target, outcome, JSON.stringify(details)],
  );
}
