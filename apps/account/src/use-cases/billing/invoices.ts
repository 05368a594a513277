import { ApiError } from '@farebox/errors';
import { findInvoice, listInvoices, type Invoice, type InvoiceHead } from '@farebox/invoices';
import type { Pool } from 'pg';

/** A page of the account's invoices, and one more where there is one. Throws for a cursor that is none of them. */
export async function listOwnInvoices(
  accountId: string,
  pool: Pool,
  { limit, afterNumber }: { limit: number; afterNumber: string | undefined },
): Promise<InvoiceHead[]> {
  if (afterNumber !== undefined && !(await findInvoice(pool, accountId, afterNumber))) {
    throw new ApiError('invalid_request_error', {
      param: 'after',
      message: "'after' must be the number of an invoice of yours.",
    });
  }
  return listInvoices(pool, accountId, { limit: limit + 1, afterNumber });
}

/** One invoice of the account. Throws what a missing one answers, for one of another account too. */
export async function findOwnInvoice(accountId: string, pool: Pool, number: string): Promise<Invoice> {
  const invoice = await findInvoice(pool, accountId, number);
  if (!invoice) throw invoiceNotFound();
  return invoice;
}

/** A missing invoice, one of another account and a text that is no number answer the same. */
export function invoiceNotFound(): ApiError {
  return new ApiError('invalid_request_error', {
    status: 404,
    param: 'number',
    message: 'There is no such invoice.',
  });
}
