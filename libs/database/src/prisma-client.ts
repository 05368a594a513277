import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { PrismaClient } from './generated/client';

/**
 * A Prisma client that shares the connections and the time limits of a pool made by `createPool`.
 * `$disconnect()` leaves the pool open; end the pool itself.
 */
export function createPrismaClient(pool: pg.Pool): PrismaClient {
  return new PrismaClient({ adapter: new PrismaPg(pool), errorFormat: 'minimal' });
}

/**
 * A Prisma client within the transaction of a connection, which somebody else commits. It cannot begin one of its own:
 * its COMMIT would end theirs. What Prisma would wrap in one (`$transaction`, nested writes, several rows) throws.
 */
export function prismaWithin(client: pg.PoolClient): PrismaClient {
  return createPrismaClient(new OneConnection(client));
}

/** What Prisma takes for a pool. It opens no connection. */
class OneConnection extends pg.Pool {
  constructor(client: pg.PoolClient) {
    super({ max: 1 });
    this.query = client.query.bind(client);
    this.connect = () => {
      throw new Error('a transaction within a transaction would commit it');
    };
  }
}
