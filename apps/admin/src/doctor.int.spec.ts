import { applyCatalog, parseCatalog } from '@farebox/catalog';
import type { RedisServer } from '@farebox/local-services';
import { createTestDatabase, startSmtpReceiver, startTestRedis, type TestDatabase } from '@farebox/testing';
import { Redis } from 'ioredis';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runInside } from '../test/admin-harness';

interface Finding {
  check: string;
  state: string;
  detail: string;
  remedy: string | null;
}

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

/** The doctor's findings, by check. `exitCode` and `ok` must agree. */
async function examine(
  environment: Record<string, string> = {},
  ...options: string[]
): Promise<Record<string, Finding[]>> {
  const all = { DATABASE_URL: database.url, ...environment };
  const { exitCode, out, err } = await runInside(all, ['doctor', '--json', ...options]);
  expect(err).toBe('');
  const report = JSON.parse(out) as { ok: boolean; failed: number; warned: number; findings: Finding[] };
  const failed = report.findings.filter(({ state }) => state === 'fail').length;
  expect([exitCode, report.ok, report.failed]).toEqual([failed > 0 ? 1 : 0, failed === 0, failed]);
  const byCheck: Record<string, Finding[]> = {};
  for (const finding of report.findings) (byCheck[finding.check] ??= []).push(finding);
  return byCheck;
}

const stateOf = (findings: Finding[] | undefined): string | undefined =>
  findings?.map(({ state }) => state).join();

describe("the doctor's check of PostgreSQL", () => {
  it('passes a correct set-up with its login', async () => {
    const found = await examine();
    for (const check of [
      'PostgreSQL',
      'migrations',
      'clock of PostgreSQL',
      'encryption to PostgreSQL',
      'login of DATABASE_URL',
      'partitions',
    ]) {
      expect([check, stateOf(found[check])]).toEqual([check, 'ok']);
    }
    expect(stateOf(found['tables of the job queues'])).toBe('ok');
    expect(found['Redis']?.[0]?.detail).toContain('REDIS_URL is not set');
  });

  it('names the group of each login', async () => {
    const found = await examine({
      DATABASE_URL: database.workerUrl,
      FAREBOX_GATEWAY_DATABASE_URL: database.serviceUrl,
      FAREBOX_ACCOUNT_DATABASE_URL: database.accountUrl,
      FAREBOX_WORKER_DATABASE_URL: database.url,
    });
    expect(found['login of DATABASE_URL']).toMatchObject([
      {
        state: 'warn',
        detail: "farebox_test_worker belongs to farebox_worker: a service's login.",
      },
    ]);
    for (const service of ['GATEWAY', 'ACCOUNT'])
      expect(found[`login of FAREBOX_${service}_DATABASE_URL`]).toMatchObject([
        { state: 'warn', detail: expect.stringContaining('can use every connection') as string },
      ]);
    expect(found['login of FAREBOX_WORKER_DATABASE_URL']?.[0]?.detail).toContain('owns the tables');
  });

  it('finds missing migrations and missing queue tables', async () => {
    await database.pool.query('DROP SCHEMA bullmq CASCADE');
    expect(stateOf((await examine())['tables of the job queues'])).toBe('fail');
    await database.pool.query(`DELETE FROM _prisma_migrations WHERE migration_name LIKE '%_init'`);
    const found = await examine();
    expect(found['migrations']).toMatchObject([
      { state: 'fail', detail: expect.stringContaining('20261126000000_init') as string },
    ]);
  });

  it('finds an unreachable database, and continues with the other checks', async () => {
    const found = await examine({ DATABASE_URL: 'postgres://ada:hunter2@127.0.0.1:1/farebox' });
    expect(stateOf(found['PostgreSQL'])).toBe('fail');
    expect(stateOf(found['mail server'])).toBe('ok');
    expect(JSON.stringify(found)).not.toContain('hunter2');
    expect(stateOf((await examine({ DATABASE_URL: '' }))['PostgreSQL'])).toBe('fail');
  });
});

describe("the doctor's check of Redis", () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startTestRedis();
  });
  afterAll(() => redis.remove());

  it('finds settings that lose jobs, and accepts corrected ones', async () => {
    const client = new Redis(redis.url);
    await client.config('SET', 'maxmemory-policy', 'allkeys-lru');
    const wrong = await examine({ REDIS_URL: redis.url });
    expect(stateOf(wrong['Redis'])).toBe('ok');
    expect(stateOf(wrong['clock of Redis'])).toBe('ok');
    expect(wrong['memory policy of Redis']).toMatchObject([
      { state: 'fail', remedy: 'Set maxmemory-policy noeviction.' },
    ]);
    expect(stateOf(wrong['append-only file of Redis'])).toBe('warn');
    expect(stateOf(wrong['password of Redis'])).toBe('warn');
    expect(wrong['tables of the job queues']).toBeUndefined();

    await client.config('SET', 'maxmemory-policy', 'noeviction');
    await client.config('SET', 'appendonly', 'yes');
    await client.quit();
    const right = await examine({ REDIS_URL: redis.url });
    expect(stateOf(right['memory policy of Redis'])).toBe('ok');
    expect(stateOf(right['append-only file of Redis'])).toBe('ok');
  });

  it('finds an unreachable server, and a refused login', async () => {
    const gone = await examine({ REDIS_URL: 'redis://:hunter2@127.0.0.1:9' });
    expect(stateOf(gone['Redis'])).toBe('fail');
    expect(JSON.stringify(gone)).not.toContain('hunter2');
    const client = new Redis(redis.url);
    await client.config('SET', 'requirepass', 'secret');
    expect(stateOf((await examine({ REDIS_URL: redis.url }))['Redis'])).toBe('fail');
    const signedIn = await examine({ REDIS_URL: redis.url.replace('redis://', 'redis://:secret@') });
    expect([signedIn['Redis'], signedIn['password of Redis']].map(stateOf)).toEqual(['ok', 'ok']);
    await client.config('SET', 'requirepass', '');
    await client.quit();
  });
});

it('the doctor accepts a working mail server, and finds a refused login and an unreachable server', async () => {
  const smtp = await startSmtpReceiver();
  const mail = {
    FAREBOX_PUBLIC_URL: 'https://farebox.example',
    FAREBOX_MAIL_FROM: 'Farebox <farebox@example.com>',
  };
  const url = `smtp://ada:hunter2@127.0.0.1:${String(smtp.port)}`;
  expect(stateOf((await examine({ ...mail, FAREBOX_MAIL_URL: url }))['mail server'])).toBe('ok');
  smtp.refuseSignIn = '535 no hunter2 here';
  const refused = await examine({ ...mail, FAREBOX_MAIL_URL: url });
  expect(refused['mail server']).toMatchObject([{ state: 'fail', detail: 'It cannot be used: EAUTH 535.' }]);
  expect(smtp.mails).toEqual([]);
  await smtp.close();
  expect(stateOf((await examine({ ...mail, FAREBOX_MAIL_URL: url }))['mail server'])).toBe('fail');
});

describe("the doctor's check of upstreams", () => {
  let server: Server;
  let keys: (string | undefined)[];
  beforeEach(async () => {
    keys = [];
    server = createServer((req, res) => {
      keys.push(req.headers.authorization);
      res.writeHead(req.headers.authorization === 'Bearer right' ? 200 : 401).end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const yaml = `
      upstreams:
        - { id: near, base_url: "http://127.0.0.1:${String(port)}/v1", api_key_env: NEAR_KEY }
        - { id: gone, base_url: "http://127.0.0.1:9/v1" }
      models:
        - { id: m, routes: [{ upstream: near, model: m }, { upstream: gone, model: m }], input_price: 1,
            output_price: 1, context_window: 10, max_output_tokens: 5 }`;
    await applyCatalog(database.pool, parseCatalog(yaml, {}));
  });
  afterEach(() => server.close());

  it('requests them with their keys if asked to', async () => {
    const found = await examine({ NEAR_KEY: 'right' }, '--upstreams');
    expect([stateOf(found['upstream near']), stateOf(found['upstream gone'])]).toEqual(['ok', 'fail']);
    const wrong = await examine({ NEAR_KEY: 'hunter2' }, '--upstreams');
    expect(wrong['upstream near']).toMatchObject([{ state: 'fail', remedy: 'Check NEAR_KEY.' }]);
    expect(JSON.stringify(wrong)).not.toContain('hunter2');
    expect(stateOf((await examine({}, '--upstreams'))['upstream near'])).toBe('warn');
    expect(keys).toEqual(['Bearer right', 'Bearer hunter2']);
  });

  it('makes no requests otherwise', async () => {
    expect((await examine({ NEAR_KEY: 'right' }))['upstream near']).toBeUndefined();
    expect(keys).toEqual([]);
  });
});

it('the doctor prints remedies for people', async () => {
  const { out } = await runInside({ DATABASE_URL: 'postgres://127.0.0.1:1/farebox' }, ['doctor']);
  expect(out).toMatch(/^CHECK +STATE +FOUND\n/);
  expect(out).toMatch(/^PostgreSQL +fail +It cannot be reached, .* Check host, port/m);
  expect(out).toMatch(/\n\d+ checks: \d+ failed, \d+ with a warning\.\n$/);
});
