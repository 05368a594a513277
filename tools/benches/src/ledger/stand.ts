import { verifyLedger } from '@farebox/ledger';
import pg from 'pg';
import { startBenchPostgres } from '../bench-postgres';
import { createCustomers } from './customers';
import type { Customer } from './passengers';

/** Databases for one bench of the ledger. */
export interface Stand {
  createLedger(customers: number): Promise<BenchLedger>;
  remove(): Promise<void>;
}

export interface BenchLedger {
  databaseUrl: string;
  pool: pg.Pool;
  customers: Customer[];
  /** Throws where the books are not right. */
  verify(): Promise<void>;
}

export async function startStand({ fsync }: { fsync: boolean }): Promise<Stand> {
  const postgres = await startBenchPostgres({ fsync });
  const ledgers: BenchLedger[] = [];
  return {
    async createLedger(count) {
      const databaseUrl = await postgres.createDatabase(`bench_${String(ledgers.length)}`);
      const pool = new pg.Pool({ connectionString: databaseUrl });
      const ledger: BenchLedger = {
        databaseUrl,
        pool,
        customers: await createCustomers(pool, count),
        async verify() {
          const { ok, differences } = await verifyLedger(pool);
          if (!ok) throw new Error(`the books are not right: ${JSON.stringify(differences)}`);
        },
      };
      ledgers.push(ledger);
      return ledger;
    },
    async remove() {
      await Promise.all(ledgers.map(({ pool }) => pool.end()));
      await postgres.remove();
    },
  };
}
