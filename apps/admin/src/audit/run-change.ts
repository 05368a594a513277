import { accountsWithin, type Accounts, type Actor } from '@farebox/accounts';
import { withTransaction } from '@farebox/database';
import type { Pool, PoolClient } from 'pg';
import type { Report } from '../command-run';
import { recordAction, type ActionDetails } from './record-action';
import { notingOn, type Movement } from './run-movement';

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
