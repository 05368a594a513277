import type pg from 'pg';
import type { InvoiceHead } from './invoice';
import { HEAD_COLUMNS, toInvoiceHead, type HeadRow } from './invoice-rows';

// For the operator's command, which sees every account. What an account sees is in read-invoices.ts.

type Queryable = Pick<pg.Pool, 'query'>;

/** Whose invoice a number is; `undefined` where there is none. */
export async function findInvoiceOwner(pool: Queryable, number: string): Promise<string | undefined> {
  const { rows } = await pool.query<{ account_id: string }>(
    'SELECT account_id FROM invoice WHERE number = $1',
    [number],
  );
  return rows[0]?.account_id;
}

/** All invoices, or those of a month, newest number first: those before the invoice `afterNumber`. */
export async function listIssuedInvoices(
  pool: Queryable,
  {
    month,
    afterNumber,
    limit,
  }: { month?: string | undefined; afterNumber?: string | undefined; limit: number },
): Promise<InvoiceHead[]> {
  const { rows } = await pool.query<HeadRow>(
    `SELECT ${HEAD_COLUMNS} FROM invoice
     WHERE ($1::date IS NULL OR (month = $1 AND year = extract(year FROM $1::date)))
       AND ($2::text IS NULL OR (year, sequence) < (SELECT year, sequence FROM invoice WHERE number = $2))
     ORDER BY year DESC, sequence DESC LIMIT $3`,
    [month ?? null, afterNumber ?? null, limit],
  );
  return rows.map(toInvoiceHead);
}
