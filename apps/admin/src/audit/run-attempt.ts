import type { Pool } from 'pg';
import type { Report } from '../command-run';
import { recordAction, type ActionDetails, type OperatorAction } from './record-action';
import type { Acting } from './run-change';

/** What is about to be done, for the audit log: see `OperatorAction`. */
export interface Attempted {
  action: string;
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
