import type pg from 'pg';

export interface IssuedInvoices {
  /** How many were made by this call. */
  issued: number;
  /** Accounts whose invoice waits for requests under way that began in the month. */
  postponed: number;
}

/** The month has not ended, or ended less than an hour ago: its charges may not all be there. */
export class MonthNotClosedError extends Error {
  constructor(month: string) {
    super(
      `The month ${month.slice(0, 7)} is not closed: its invoices can be made an hour after its end, in UTC.`,
    );
    this.name = 'MonthNotClosedError';
  }
}

const MONTH_NOT_CLOSED = 'FB004';

/**
 * Makes the invoices of a UTC month that are not made yet. May run twice, and by several callers at once. `month` is its
 * first day, `2026-10-01`. Throws `MonthNotClosedError`.
 */
export async function issueInvoices(pool: Pick<pg.Pool, 'query'>, month: string): Promise<IssuedInvoices> {
  try {
    const { rows } = await pool.query<IssuedInvoices>('SELECT issued, postponed FROM invoice_issue($1)', [
      month,
    ]);
    const [answer] = rows;
    if (!answer) throw new Error('the database answered no row');
    return answer;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === MONTH_NOT_CLOSED) {
      throw new MonthNotClosedError(month);
    }
    throw error;
  }
}
