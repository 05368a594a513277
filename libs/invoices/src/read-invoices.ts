import type pg from 'pg';
import type { Invoice, InvoiceHead } from './invoice';
import { HEAD_COLUMNS, toInvoiceHead, toInvoiceLine, type HeadRow, type LineRow } from './invoice-rows';

type Queryable = Pick<pg.Pool, 'query'>;

/**
 * An account's invoices, newest month first: those before the invoice `afterNumber`. A number that is not the account's
 * own gives an empty page.
 */
export async function listInvoices(
  pool: Queryable,
  accountId: string,
  { afterNumber, limit }: { afterNumber?: string | undefined; limit: number },
): Promise<InvoiceHead[]> {
  const { rows } = await pool.query<HeadRow>(
    `SELECT ${HEAD_COLUMNS} FROM invoice
     WHERE account_id = $1
       AND ($2::text IS NULL OR month < (SELECT month FROM invoice WHERE account_id = $1 AND number = $2))
     ORDER BY month DESC LIMIT $3`,
    [accountId, afterNumber ?? null, limit],
  );
  return rows.map(toInvoiceHead);
}

/** One invoice of an account, with its lines; `undefined` where the account has none of this number. */
export async function findInvoice(
  pool: Queryable,
  accountId: string,
  number: string,
): Promise<Invoice | undefined> {
  const { rows } = await pool.query<HeadRow>(
    `SELECT ${HEAD_COLUMNS} FROM invoice WHERE account_id = $1 AND number = $2`,
    [accountId, number],
  );
  const [row] = rows;
  if (!row) return undefined;
  const lines = await pool.query<LineRow>(
    `SELECT kind, model_id, requests::text, prompt_tokens::text, completion_tokens::text, amount_nano::text
     FROM invoice_line WHERE account_id = $1 AND month = $2 ORDER BY position`,
    [accountId, row.month],
  );
  return { ...toInvoiceHead(row), lines: lines.rows.map(toInvoiceLine) };
}
