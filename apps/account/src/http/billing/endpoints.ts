import type { PrismaClient } from '@farebox/database';
import type { Pool } from 'pg';
import type { CardPayments } from '../../use-cases/billing/start-checkout';
import type { Endpoint } from '../endpoint';
import { balanceEndpoint } from './balance';
import { listFundingEndpoint } from './funding/list';
import { startCheckoutEndpoint } from './funding/start-checkout';
import { getInvoiceEndpoint } from './invoices/get';
import { listInvoicesEndpoint } from './invoices/list';
import { transactionsEndpoint } from './transactions';

/** A checkout can be begun where card payments are switched on. */
export function billingEndpoints(
  clients: { pool: Pool; prisma: PrismaClient },
  card: CardPayments | undefined,
): Endpoint[] {
  return [
    balanceEndpoint(clients.pool),
    transactionsEndpoint(clients),
    listInvoicesEndpoint(clients.pool),
    getInvoiceEndpoint(clients.pool),
    listFundingEndpoint(clients, card),
    ...(card ? [startCheckoutEndpoint(clients.pool, card)] : []),
  ];
}
