import { randomBytes } from 'node:crypto';
import path from 'node:path';
import pg from 'pg';
import { createSession } from '@farebox/accounts';
import { sumClosedUsage } from '@farebox/ledger';
import {
  freePort,
  provideServiceLogin,
  type ServiceLogin,
  ServiceProcess,
  urlFor,
  waitForHttp,
  workspaceRoot,
} from '@farebox/local-services';
import { type BenchPostgres, createCustomers } from '../database';
import { type AccountShape, generateHistory } from '../generate-history';
import { cpuMsOf, postgresCpuReader } from '../processes';

/** A history of requests, and the account service on it. */
export interface UsageHarness {
  requests: number;
  origin: string;
  readers: Reader[];
  pool: pg.Pool;
  /** Processor time that the service and all of PostgreSQL have used so far; undefined if there is no /proc. */
  cpuMs(): number | undefined;
  stop(): Promise<void>;
}

const LOGIN: ServiceLogin = { user: 'farebox_bench_account', password: 'bench', group: 'farebox_account' };
/** The range of usage if none is asked for. */
const DAYS = 30;

export async function startUsageHarness(
  postgres: BenchPostgres,
  requests: number,
  say: (line: string) => void,
): Promise<UsageHarness> {
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

/** An account whose usage is read. */
export interface Reader extends AccountShape {
  name: string;
  keys: number;
  sessionToken: string;
}

/** One that is usual, and one with so many keys and models that each hour has a thousand counts. */
const READERS = [
  { name: '4 keys, 5 models', keys: 4, models: 5, share: 100 },
  { name: '20 keys, 50 models', keys: 20, models: 50, share: 300 },
];
const OTHERS = 600;

/** All accounts of a bench, with a session for each that is read. */
async function createReaders(pool: pg.Pool): Promise<Reader[]> {
  const customers = await createCustomers(pool, READERS.length + OTHERS);
  const readers: Reader[] = [];
  for (const [i, shape] of READERS.entries()) {
    const accountId = customers[i]?.accountId ?? '';
    await pool.query(
      `INSERT INTO api_key (id, account_id, name, secret_hmac, pepper_version, hint)
       SELECT uuidv7(), $1::uuid, 'bench ' || n, sha256(($1::uuid || ' ' || n)::bytea), 1, 'abcd' FROM generate_series(2, $2::int) n`,
      [accountId, shape.keys],
    );
    const { token } = await createSession(accountId, pool);
    readers.push({ ...shape, accountId, sessionToken: token });
  }
  return readers;
}
