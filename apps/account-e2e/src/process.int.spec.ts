import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase, type TestDatabase } from '@farebox/testing';
import { environmentFor, runUntilExit, spawnBundle, startAccountProcess } from '../test/processes';
import { expectError, httpClient, openAccountHarness } from '../test/account-harness';
import { openDatabaseProxy, type DatabaseProxy } from '../test/database-faults';

/** Resources of a test, closed after it in reverse order, even if it failed. */
const opened: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

async function openHarness(options?: Parameters<typeof openAccountHarness>[0]) {
  const harness = await openAccountHarness(options);
  opened.push(() => harness.close());
  return harness;
}

async function startOn(database: TestDatabase, additional?: Record<string, string>) {
  const service = await startAccountProcess(database.accountUrl, additional);
  opened.push(() => service.stop());
  return service;
}

describe('a running service', () => {
  it('reports that it is alive and ready, without a credential', async () => {
    const harness = await openHarness();
    expect((await harness.send('GET', '/healthz')).status).toBe(200);
    expect((await harness.send('GET', '/readyz')).status).toBe(200);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('stops cleanly on %s', async (signal) => {
    const harness = await openHarness();
    expect(await harness.process.stop(signal)).toEqual({ code: 0, stderr: '' });
  });

  it('returns 503 and is not ready while the database is away, and serves again when it is back', async () => {
    let proxy: DatabaseProxy | undefined;
    const harness = await openHarness({
      urlForService: async (databaseUrl) => {
        proxy = await openDatabaseProxy(databaseUrl);
        opened.push(proxy.close);
        return proxy.url;
      },
    });
    const customer = await harness.givenCustomer();
    expect((await customer.send('GET', '/v1/api-keys')).status).toBe(200);

    await proxy?.cut();
    const refused = await customer.send('GET', '/v1/api-keys');
    expectError(refused, { status: 503, code: 'service_unavailable' });
    expect(refused.headers['retry-after']).toBe('1');
    expect((await harness.send('GET', '/readyz')).status).toBe(503);
    expect((await harness.send('GET', '/healthz')).status).toBe(200);

    await proxy?.heal();
    expect((await customer.send('GET', '/v1/api-keys')).status).toBe(200);
    expect((await harness.send('GET', '/readyz')).status).toBe(200);
  });

  it('logs one line per request, without secrets', async () => {
    const harness = await openHarness();
    const customer = await harness.givenCustomer();
    const created = await customer.send('POST', '/v1/api-keys', { body: { name: 'private name' } });
    const { key, key_public_id } = created.json as { key: string; key_public_id: string };
    await customer.send('GET', `/v1/api-keys/${key_public_id}?probe=${key}`);
    await harness.process.stop();

    const records = harness.process.log.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(records.filter((record) => record.event === 'request_completed')).toMatchObject([
      { method: 'POST', route: '/v1/api-keys', status: 201 },
      { method: 'GET', route: '/v1/api-keys/:key_public_id', status: 200 },
    ]);
    const text = harness.process.log.join('\n');
    for (const secret of [key, customer.sessionToken, 'private name']) expect(text).not.toContain(secret);
  });
});

describe('a service without a database at its start', () => {
  it('waits for it, reports that, and serves as soon as it is there', async () => {
    const database = await createTestDatabase();
    opened.push(() => database.drop());
    const proxy = await openDatabaseProxy(database.accountUrl);
    opened.push(proxy.close);
    await proxy.cut();
    const { log, ready, child, exited } = spawnBundle('account', environmentFor(proxy.url));
    opened.push(() => {
      child.kill();
      return exited;
    });
    while (!log.some((line) => line.includes('"database_awaited"'))) await sleep(20);
    await proxy.heal();
    expect(await ready).toMatchObject({ event: 'ready' });
  });
});

describe('a service that cannot start', () => {
  let database: TestDatabase;
  let good: Record<string, string>;

  beforeAll(async () => {
    database = await createTestDatabase();
    good = environmentFor(database.accountUrl);
  });
  afterAll(() => database.drop());

  it('names every problem of its environment, without any value', async () => {
    const { code, stderr } = await runUntilExit({
      DATABASE_URL: 'mysql://u:hunter2@h/d',
      FAREBOX_KEY_PEPPERS: '1:hunter2',
    });
    expect(code).toBe(1);
    expect(stderr.trim().split('\n')).toEqual([
      'DATABASE_URL must be a URL like postgres://user:password@host:5432/database.',
      'FAREBOX_KEY_PEPPERS must be written as 1:<64 hex digits>, further ones after a comma (1:…,2:…).',
    ]);
  });

  it('reports that the database is unreachable', async () => {
    const { code, stderr } = await runUntilExit({
      ...good,
      DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:1/d',
      FAREBOX_DATABASE_START_TIMEOUT: '0s',
    });
    expect(code).toBe(1);
    expect(stderr).toBe('The database of DATABASE_URL cannot be reached (ECONNREFUSED).\n');
  });

  it('reports missing migrations', async () => {
    await database.pool.query('ALTER TABLE _prisma_migrations RENAME TO hidden');
    const { code, stderr } = await runUntilExit(good);
    await database.pool.query('ALTER TABLE hidden RENAME TO _prisma_migrations');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^The database lacks migrations \(.*\): apply the migrations with ".*"\.\n$/);
  });

  it("reports that its login is a gateway's", async () => {
    const { code, stderr } = await runUntilExit({ ...good, DATABASE_URL: database.serviceUrl });
    expect(code).toBe(1);
    expect(stderr).toBe(
      'The role of DATABASE_URL lacks the rights of billing: make it a member of farebox_account with "GRANT farebox_account TO …".\n',
    );
  });

  it('reports that its port is in use', async () => {
    const first = await startOn(database);
    const { code, stderr } = await runUntilExit({ ...good, FAREBOX_ACCOUNT_PORT: String(first.port) });
    expect(code).toBe(1);
    expect(stderr).toBe(
      'The address is in use by another process: set FAREBOX_ACCOUNT_PORT to a free port.\n',
    );
    expect((await httpClient(first.port)('GET', '/healthz')).status).toBe(200);
  });

  it('warns of an unused variable, and starts', async () => {
    const service = await startOn(database, { FAREBOX_ACOUNT_PORT: '1' });
    const { code, stderr } = await service.stop();
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr:
        'FAREBOX_ACOUNT_PORT is set, but nothing reads a variable of that name. Did you mean FAREBOX_ACCOUNT_PORT?\n',
    });
  });
});
