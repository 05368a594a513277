import type { PrismaClient } from '@farebox/database';
import type { Pool } from 'pg';
import type { Endpoint } from '../endpoint';
import { balanceEndpoint } from './balance';
import { transactionsEndpoint } from './transactions';

export function billingEndpoints(clients: { pool: Pool; prisma: PrismaClient }): Endpoint[] {
  return [balanceEndpoint(clients.pool), transactionsEndpoint(clients)];
}
