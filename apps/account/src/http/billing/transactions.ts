import { listTransactionsQuery, parseQuery, toListPage } from '@farebox/contracts';
import type { PrismaClient } from '@farebox/database';
import type { Pool } from 'pg';
import { listTransactions } from '../../use-cases/list-transactions';
import { toCsv } from '../csv';
import type { Endpoint } from '../endpoint';
import { toTransactionRecord, TRANSACTION_COLUMNS } from './transaction-wire';

/** `GET /v1/billing/transactions`: the account's ledger, newest first. */
export function transactionsEndpoint(clients: { pool: Pool; prisma: PrismaClient }): Endpoint {
  return {
    method: 'GET',
    path: '/v1/billing/transactions',
    body: 'none',
    produces: ['application/json', 'text/csv'],
    async handle({ accountId, query, wants }) {
      const { limit, after, type, start, end } = parseQuery(listTransactionsQuery, query);
      const page = { limit, afterId: after, kind: type, start, end };
      const entries = await listTransactions(accountId, clients, page);
      const body = toListPage(entries.map(toTransactionRecord), limit, (record) => record.id);
      if (wants !== 'text/csv') return { status: 200, body };
      const content = await toCsv(TRANSACTION_COLUMNS, body.data);
      return { status: 200, document: { mediaType: wants, content, fileName: 'transactions.csv' } };
    },
  };
}
