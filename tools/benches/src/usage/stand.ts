import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { sumClosedUsage } from '@farebox/ledger';
import {
  freePort,
  provideServiceLogin,
  ServiceProcess,
  urlFor,
  waitForHttp,
  workspaceRoot,
  type ServiceLogin,
} from '@farebox/local-services';
import pg from 'pg';
import type { BenchPostgres } from '../bench-postgres';
import { generateHistory } from '../history/generate-history';
import { cpuMsOf } from '../gateway/process-usage';
import { postgresCpuReader } from '../postgres-cpu';
import { createReaders, type Reader } from './customers';

/** A history of requests, and the account service on it. */
export interface UsageStand {
  requests: number;
  origin: string;
  readers: Reader[];
  pool: pg.Pool;
  /** Processor time that the service and all of PostgreSQL have used so far; undefined where there is no /proc. */
  cpuMs(): number | undefined;
  stop(): Promise<void>;
}

const LOGIN: ServiceLogin = { user: 'farebox_bench_account', password: 'bench', group: 'farebox_account' };
/** The range of usage where none is asked for. */
const DAYS = 30;

export async function startUsageStand(
  postgres: BenchPostgres,
  requests: number,
  say: (line: string) => void,
): Promise<UsageStand> {
  const ownerUrl = await postgres.createDatabase(`usage_${String(requests)}`);
  await provideServiceLogin(ownerUrl, LOGIN);
  const pool = new pg.Pool({ connectionString: ownerUrl });
  const readers = await createReaders(pool);
  const all = requests.toLocaleString('en');
  await generateHistory(pool, {
    requests,
    days: DAYS,
    shapes: readers,
    onProgress: (done) => {
      say(`  ${done.toLocaleString('en')} of ${all} old requests made`);
    },
  });
  say('  summing their usage, as the worker does');
  await sumClosedUsage(pool);
  await pool.query('VACUUM ANALYZE usage_sum');
  await pool.query('CHECKPOINT');
  const service = await startService(ownerUrl);
  const postgresCpuMs = await postgresCpuReader(pool);
  return {
    requests,
    origin: service.origin,
    readers,
    pool,
    cpuMs() {
      const ofPostgres = postgresCpuMs();
      return ofPostgres === undefined ? undefined : ofPostgres + cpuMsOf([service.process]);
    },
    async stop() {
      await service.process.stop();
      await pool.end();
    },
  };
}

/** The built account service, as it is deployed. */
async function startService(ownerUrl: string): Promise<{ origin: string; process: ServiceProcess }> {
  const port = await freePort();
  const service = ServiceProcess.start({
    name: 'account',
    args: [path.join(workspaceRoot(), 'dist/account/main.js')],
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: urlFor(LOGIN, ownerUrl),
      FAREBOX_KEY_PEPPERS: `1:${randomBytes(32).toString('hex')}`,
      FAREBOX_ACCOUNT_PORT: String(port),
    },
  });
  const origin = `http://127.0.0.1:${String(port)}`;
  await service.until(waitForHttp(`${origin}/readyz`));
  return { origin, process: service };
}
