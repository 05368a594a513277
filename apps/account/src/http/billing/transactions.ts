import { listTransactionsQuery, parseQuery, toListPage } from '@farebox/contracts';
import type { PrismaClient } from '@farebox/database';
import type { Pool } from 'pg';
import { listTransactions } from '../../use-cases/list-transactions';
import type { Endpoint } from '../endpoint';
import { toTransactionRecord } from './transaction-wire';

/** `GET /v1/billing/transactions`: the account's ledger, newest first. */
export function transactionsEndpoint(clients: { pool: Pool; prisma: PrismaClient }): Endpoint {
  return {
    method: 'GET',
    path: '/v1/billing/transactions',
    body: 'none',
    async handle({ accountId, query }) {
      const { limit, after, type } = parseQuery(listTransactionsQuery, query);
      const entries = await listTransactions(accountId, clients, { limit, afterId: after, kind: type });
      return {
        status: 200,
        body: toListPage(entries.map(toTransactionRecord), limit, (record) => record.id),
      };
    },
  };
}
