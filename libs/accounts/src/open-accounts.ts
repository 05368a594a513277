import { createPrismaClient, withTransaction, type PrismaClient } from '@farebox/database';
import type { Pool, PoolClient } from 'pg';

/** What a statement goes through: a pool, the connection of a transaction, or `Accounts`. */
export type Queryable = Pick<Pool, 'query'>;

/**
 * What the verbs of this library work on. Whoever has it has no client: rules, status and audit are in the verbs.
 *
 * Records and pages are read with Prisma, and are what is committed. What changes something is one statement, or a few
 * under one transaction, so that it can be part of a larger one: an operator's, with its row in the audit log.
 */
export interface Accounts extends Queryable {
  readonly prisma: PrismaClient;
  /** Runs `work` in one transaction: in the one that surrounds it already, if there is one. */
  transaction<Result>(work: (accounts: Accounts) => Promise<Result>): Promise<Result>;
  /** The same accounts, changed in a transaction that somebody else commits. */
  within(client: PoolClient): Accounts;
  /** Leaves the pool open. */
  close(): Promise<void>;
}

/** Notes what an operator did, in the transaction in which it is done. What an owner does, the row itself says. */
export type Note = (accountId: string) => Promise<void>;

/** Opens the accounts of a database. */
export function openAccounts(pool: Pool): Accounts {
  const prisma = createPrismaClient(pool);
  const within = (client: PoolClient): Accounts => {
    const inside: Accounts = { ...outside, ...queryOf(client), transaction: (work) => work(inside) };
    return inside;
  };
  const outside: Accounts = {
    ...queryOf(pool),
    prisma,
    within,
    transaction: (work) => withTransaction(pool, (client) => work(within(client))),
    close: () => prisma.$disconnect(),
  };
  return outside;
}

function queryOf(db: Queryable): Queryable {
  return { query: db.query.bind(db) };
}

/** The database's clock, by which everything here is decided. */
export async function readNow(db: Queryable): Promise<Date> {
  const { rows } = await db.query<{ now: Date }>('SELECT now()');
  const [row] = rows;
  if (!row) throw new Error('the database has no clock');
  return row.now;
}
