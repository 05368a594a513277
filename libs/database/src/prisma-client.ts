import { PrismaPg } from '@prisma/adapter-pg';
import type { Pool } from 'pg';
import { PrismaClient } from './generated/client';

/**
 * A Prisma client that shares the connections and the time limits of a pool made by `createPool`.
 * `$disconnect()` leaves the pool open; end the pool itself.
 */
export function createPrismaClient(pool: Pool): PrismaClient {
  return new PrismaClient({ adapter: new PrismaPg(pool), errorFormat: 'minimal' });
}
