import path from 'node:path';
import pg from 'pg';
import { freePort, ServiceProcess, workspaceRoot } from '@farebox/local-services';
import { verifyLedger } from '@farebox/ledger';
import { createCustomers, startBenchPostgres } from '../database';
import { postgresCpuReader } from '../processes';
import { CHAT_PATH, type Contestant, type Upstream, waitForPort } from './contestants';

/** A contestant with books, which are verified at the end. */
export interface Floor extends Contestant {
  /** Throws if the books have differences. */
  verify(): Promise<void>;
}

export const FLOOR = 'floor';
const NAMES = { rows: FLOOR, ledger: 'floor, our ledger' };

/** A floor under every gateway that charges durably, on a PostgreSQL of its own: see `floor.ts`. */
export async function floor(
  kind: keyof typeof NAMES,
  upstream: Upstream,
  { fsync }: { fsync: boolean },
): Promise<Floor> {
  const stops: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    for (const one of stops.splice(0).reverse()) await one();
  };
  try {
    const postgres = await startBenchPostgres({ fsync });
    stops.push(() => postgres.remove());
    const databaseUrl = await postgres.createDatabase(`floor_${kind}`);
    const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
    stops.push(() => pool.end());
    const [customer] = await createCustomers(pool, 1);
    const postgresCpuMs = await postgresCpuReader(pool);
    const port = await freePort();
    const service = ServiceProcess.start({
      name: NAMES[kind],
      args: [path.join(workspaceRoot(), 'dist/benches/floor.js'), kind],
      env: {
        PORT: String(port),
        UPSTREAM_ORIGIN: upstream.origin,
        DATABASE_URL: databaseUrl,
        ACCOUNT_ID: customer?.accountId,
        API_KEY_ID: customer?.apiKeyId,
      },
    });
    stops.push(() => service.stop());
    await service.until(waitForPort(port));
    return {
      name: NAMES[kind],
      port,
      path: CHAT_PATH,
      headers: {},
      servesPlain: ({ stream, beside }) => !stream && !beside,
      processes: [service],
      databasesCpuMs: () => {
        const postgresMs = postgresCpuMs();
        return postgresMs === undefined ? {} : { postgres: postgresMs };
      },
      verify: () => (kind === 'rows' ? verifyRows(pool) : verifyEntries(pool)),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** All that was held is charged, and all that was charged is gone from the balance. */
async function verifyRows(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ ok: boolean }>(
    `SELECT held_nano = 0 AND NOT EXISTS (SELECT FROM floor_hold)
            AND balance_nano = 1000000000000000 - (SELECT coalesce(sum(cost_nano), 0) FROM floor_charge) AS ok
     FROM floor_account`,
  );
  if (rows[0]?.ok !== true) throw new Error('the books of the floor are not right');
}

async function verifyEntries(pool: pg.Pool): Promise<void> {
  const { ok, differences } = await verifyLedger(pool);
  if (!ok) throw new Error(`the books of the floor are not right: ${JSON.stringify(differences)}`);
}
