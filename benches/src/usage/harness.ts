import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { createSession } from '@farebox/accounts';
import { toPublicId } from '@farebox/auth';
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
import pg from 'pg';
import { Client } from 'undici';
import { type AccountShape, type BenchPostgres, createCustomers, generateHistory } from '../database';
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
  if (!(await hasHistory(pool))) await createHistory(pool, requests, say);
  say('  summing their usage, as the worker does');
  await sumClosedUsage(pool);
  await pool.query('VACUUM ANALYZE usage_sum, usage_open_day');
  await pool.query('CHECKPOINT');
  const readers = await findReaders(pool);
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

/** Whether a former run has made it, and has made all of it. */
async function hasHistory(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query<{ made: boolean; begun: boolean; stale: boolean }>(
    `SELECT obj_description('usage_record'::regclass) = '${MADE}' AS made, EXISTS (SELECT FROM account) AS begun,
            (SELECT created_at FROM usage_record ORDER BY id DESC LIMIT 1) < now() - interval '1 day' AS stale`,
  );
  const [found] = rows;
  if (found?.begun !== true) return false;
  if (!found.made) throw new Error('the kept history was not finished: delete its folder');
  if (found.stale) throw new Error('the kept history is older than a day: delete its folder');
  return true;
}

const MADE = 'the history is whole';

async function createHistory(pool: pg.Pool, requests: number, say: (line: string) => void): Promise<void> {
  const all = requests.toLocaleString('en');
  await generateHistory(pool, {
    requests,
    days: DAYS,
    shapes: await createReaders(pool),
    onProgress: (done) => {
      say(`  ${done.toLocaleString('en')} of ${all} old requests made`);
    },
  });
  await pool.query(`COMMENT ON TABLE usage_record IS '${MADE}'`);
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
export interface Reader {
  accountId: string;
  name: string;
  sessionToken: string;
}

/** One that is usual, and one with so many keys and models that each hour has a thousand counts. */
const READERS = [
  { name: '4 keys, 5 models', keys: 4, models: 5, share: 100 },
  { name: '20 keys, 50 models', keys: 20, models: 50, share: 300 },
];
const OTHERS = 600;

/** All accounts of a bench. Those that are read have more keys than the others. */
async function createReaders(pool: pg.Pool): Promise<AccountShape[]> {
  const customers = await createCustomers(pool, READERS.length + OTHERS);
  const readers: AccountShape[] = [];
  for (const [i, { keys, models, share }] of READERS.entries()) {
    const accountId = customers[i]?.accountId ?? '';
    await pool.query(
      `INSERT INTO api_key (id, account_id, name, secret_hmac, pepper_version, hint)
       SELECT uuidv7(), $1::uuid, 'bench ' || n, sha256(($1::uuid || ' ' || n)::bytea), 1, 'abcd' FROM generate_series(2, $2::int) n`,
      [accountId, keys],
    );
    readers.push({ accountId, models, share });
  }
  return readers;
}

/** By the number of their keys, with a new session for each. */
async function findReaders(pool: pg.Pool): Promise<Reader[]> {
  const readers: Reader[] = [];
  for (const { name, keys } of READERS) {
    const { rows } = await pool.query<{ account_id: string }>(
      'SELECT account_id FROM api_key GROUP BY account_id HAVING count(*) = $1',
      [keys],
    );
    const accountId = rows[0]?.account_id ?? '';
    readers.push({ accountId, name, sessionToken: (await createSession(accountId, pool)).token });
  }
  return readers;
}

/** What is asked of the service, in as many ways as there are paths. */
interface Question {
  name: string;
  paths: string[];
}

/** Places in the history at which pages of the list are read: what was read last does not help the next. */
const PLACES = 500;
const SPREAD_SECONDS = 29 * 86_400;

/** Everything that is measured, for one account. */
export async function questionsOf(pool: pg.Pool, { accountId }: Reader): Promise<Question[]> {
  const { rows } = await pool.query<{ id: string; now: string }>(
    `SELECT id, extract(epoch FROM now())::bigint::text AS now FROM api_key WHERE account_id = $1 ORDER BY id`,
    [accountId],
  );
  const now = Number(rows[0]?.now);
  const keys = rows.map(({ id }) => `key_public_id=${toPublicId('key', id)}`);
  const [key = ''] = keys;
  const ends = Array.from(
    { length: PLACES },
    (_, i) => `end=${String(now - Math.floor((SPREAD_SECONDS * i) / PLACES))}`,
  );
  const pagesWith = (filter: string): string[] => ends.map((end) => `/v1/usage?${end}&${filter}`);
  return [
    { name: 'list, newest 20', paths: ['/v1/usage'] },
    { name: 'list, 20 of any time', paths: pagesWith('limit=20') },
    { name: 'list, 100 of any time', paths: pagesWith('limit=100') },
    { name: 'list, of one key', paths: pagesWith(key) },
    { name: 'list, of one model', paths: pagesWith('model=bench-1') },
    { name: 'list, of one key and model', paths: pagesWith(`${key}&model=bench-1`) },
    { name: 'summary, 30 days by the day', paths: ['/v1/usage/summary'] },
    { name: 'summary, 30 days by the hour', paths: ['/v1/usage/summary?bucket=hour'] },
    {
      name: 'summary, by the hour, one key',
      paths: keys.map((one) => `/v1/usage/summary?bucket=hour&${one}`),
    },
    { name: 'by model, 30 days', paths: ['/v1/usage/by-model'] },
    { name: 'by model, one key', paths: keys.map((one) => `/v1/usage/by-model?${one}`) },
    { name: 'by API key, 30 days', paths: ['/v1/usage/by-api-key'] },
  ];
}

interface LoadOptions {
  origin: string;
  sessionToken: string;
  paths: readonly string[];
  connections: number;
  durationMs: number;
}

/** Asks on so many connections, over and over, for this long. Answers how long each answer took, sorted. */
export async function runUsageLoad(options: LoadOptions): Promise<number[]> {
  const { origin, sessionToken, paths, connections, durationMs } = options;
  const headers = { authorization: `Bearer ${sessionToken}` };
  const latenciesMs: number[] = [];
  let next = 0;
  const endsAtMs = performance.now() + durationMs;

  async function caller(): Promise<void> {
    const client = new Client(origin);
    try {
      while (performance.now() < endsAtMs) {
        const path = paths[next++ % paths.length] ?? '';
        const askedAtMs = performance.now();
        await ask(client, path, headers);
        latenciesMs.push(performance.now() - askedAtMs);
      }
    } finally {
      await client.close();
    }
  }

  await Promise.all(Array.from({ length: connections }, caller));
  return latenciesMs.sort((a, b) => a - b);
}

/**
 * Resolves when the answer is there, whole; its body is not kept: what the client takes of the processor, the service
 * and the database wait for. Rejects if it is not a 200.
 */
function ask(client: Client, path: string, headers: Record<string, string>): Promise<void> {
  return new Promise((resolve, reject) => {
    let status = 0;
    let refusal = '';
    client.dispatch(
      { method: 'GET', path, headers },
      {
        onRequestStart: () => undefined,
        onResponseStart(_controller, statusCode) {
          status = statusCode;
        },
        onResponseData(_controller, bytes) {
          if (status !== 200) refusal += bytes.toString();
        },
        onResponseEnd() {
          if (status === 200) resolve();
          else reject(new Error(`${path} was answered ${String(status)}: ${refusal}`));
        },
        onResponseError(_controller, error) {
          reject(error);
        },
      },
    );
  });
}
