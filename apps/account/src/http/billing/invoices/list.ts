import { listInvoicesQuery, parseQuery, toListPage } from '@farebox/contracts';
import type { Pool } from 'pg';
import { listOwnInvoices } from '../../../use-cases/billing/invoices';
import type { Endpoint } from '../../endpoint';
import { toInvoiceSummary } from './invoice-wire';

/** `GET /v1/billing/invoices`: the account's invoices, newest month first. */
export function listInvoicesEndpoint(pool: Pool): Endpoint {
  return {
    method: 'GET',
    path: '/v1/billing/invoices',
    body: 'none',
    async handle({ accountId, query }) {
      const { limit, after } = parseQuery(listInvoicesQuery, query);
      const invoices = await listOwnInvoices(accountId, pool, { limit, afterNumber: after });
      return {
        status: 200,
        body: toListPage(invoices.map(toInvoiceSummary), limit, (record) => record.number),
      };
    },
  };
}
