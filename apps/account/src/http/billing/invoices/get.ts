import type { InvoiceRecord } from '@farebox/contracts';
import type { Pool } from 'pg';
import { findOwnInvoice } from '../../../use-cases/billing/invoices';
import type { Answer, Endpoint, MediaType } from '../../endpoint';
import { PAGE_HEADERS, toInvoicePage } from './invoice-page';
import { toInvoicePdf } from './invoice-pdf';
import { readInvoiceNumber, toInvoiceRecord } from './invoice-wire';
import { toShownInvoice } from './shown-invoice';

/** `GET /v1/billing/invoices/{number}`: as JSON, as a page to print, or as a PDF. */
export function getInvoiceEndpoint(pool: Pool): Endpoint {
  return {
    method: 'GET',
    path: '/v1/billing/invoices/:number',
    body: 'none',
    produces: ['application/json', 'text/html', 'application/pdf'],
    async handle({ accountId, params, wants }) {
      const invoice = await findOwnInvoice(accountId, pool, readInvoiceNumber(params));
      return answerAs(wants, toInvoiceRecord(invoice));
    },
  };
}

async function answerAs(mediaType: MediaType, record: InvoiceRecord): Promise<Answer> {
  if (mediaType === 'text/html') {
    const content = toInvoicePage(toShownInvoice(record));
    return { status: 200, document: { mediaType, content, headers: PAGE_HEADERS } };
  }
  if (mediaType === 'application/pdf') {
    const content = await toInvoicePdf(toShownInvoice(record));
    return { status: 200, document: { mediaType, content, fileName: `${record.number}.pdf` } };
  }
  return { status: 200, body: record };
}
