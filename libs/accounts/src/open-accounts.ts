import {
  createPrismaClient,
  prismaWithin,
  withTransaction,
  type PrismaClient,
  type Queryable,
} from '@farebox/database';
import type { Pool, PoolClient } from 'pg';

/**
 * The handle for the functions of this library, which contain the rules, the status and the audit; callers
 * get no database client. Each function is one statement, or a few in one transaction, so that it can be part
 * of a larger one: an operator's, together with its row in the audit log.
 */
export interface Accounts extends Queryable {
  readonly prisma: PrismaClient;
  /** Runs `work` in one transaction, joining the surrounding one if there is one. */
  transaction<Result>(work: (accounts: Accounts) => Promise<Result>): Promise<Result>;
}

/** A client listens to its pool for as long as that is there. */
const clients = new WeakMap<Pool, PrismaClient>();

function clientOf(pool: Pool): PrismaClient {
  const client = clients.get(pool) ?? createPrismaClient(pool);
  clients.set(pool, client);
  return client;
}

/** The accounts of a database. May be opened for each piece of work. */
export function openAccounts(pool: Pool): Accounts {
  return {
    query: pool.query.bind(pool),
    prisma: clientOf(pool),
    transaction: (work) => withTransaction(pool, (client) => work(accountsWithin(client))),
  };
}

/** The accounts as a transaction sees and changes them; the caller commits it. */
export function accountsWithin(client: PoolClient): Accounts {
  let prisma: PrismaClient | undefined;
  const inside: Accounts = {
    query: client.query.bind(client),
    // Created lazily: most transactions concern a credential and need none.
    get prisma() {
      return (prisma ??= prismaWithin(client));
    },
    transaction: (work) => work(inside),
  };
  return inside;
}

/** The database's clock, which decides all times here. */
export async function readNow(db: Queryable): Promise<Date> {
  const { rows } = await db.query<{ now: Date }>('SELECT now()');
  const [row] = rows;
  if (!row) throw new Error('the database has no clock');
  return row.now;
}
