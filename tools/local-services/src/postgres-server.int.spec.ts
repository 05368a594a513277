import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { removePostgresData } from './data-folder';
import { PostgresServer } from './postgres-server';

const settings = { fsync: 'off' };
let folder: string;
let dataFolder: string;
const started: PostgresServer[] = [];

beforeEach(() => {
  // Mode 0700: as root, PostgreSQL's user cannot pass through it.
  folder = mkdtempSync(path.join(tmpdir(), 'farebox-test-'));
  dataFolder = path.join(folder, 'postgres');
});

afterEach(async () => {
  await Promise.all(started.splice(0).map((server) => server.stop('immediate')));
  removePostgresData(dataFolder);
  rmSync(folder, { recursive: true, force: true });
});

async function start(): Promise<PostgresServer> {
  const server = await PostgresServer.start({ dataFolder, settings });
  started.push(server);
  return server;
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

it('keeps its data when it is stopped and started again', async () => {
  const first = await start();
  await query(first.url(), 'CREATE TABLE kept AS SELECT 7 AS value');
  await first.stop();

  const second = await start();

  expect(await query(second.url(), 'SELECT value FROM kept')).toEqual([{ value: 7 }]);
});

it('requires the password, which only this user can read', async () => {
  const server = await start();
  const wrong = server.url().replace(/:[^:@]+@/, ':wrong@');

  await expect(query(wrong, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
  expect(statSync(`${dataFolder}-password`).mode & 0o777).toBe(0o600);
});

it('puts the data where its user can reach it, with a link at the requested place', async () => {
  const server = await start();

  expect(await query(server.url(), 'SELECT 1 AS value')).toEqual([{ value: 1 }]);
  const asRoot = process.getuid?.() === 0;
  expect(lstatSync(dataFolder).isSymbolicLink()).toBe(asRoot);
  const target = realpathSync(dataFolder);
  await server.stop();
  removePostgresData(dataFolder);
  expect([existsSync(dataFolder), existsSync(target)]).toEqual([false, false]);
});

it('keeps its port and committed rows through a restart like a crash', async () => {
  const server = await start();
  await query(server.url(), 'CREATE TABLE kept AS SELECT 1 AS value');
  const url = server.url();

  await server.restart('immediate');

  expect(server.url()).toBe(url);
  expect(await query(url, 'SELECT value FROM kept')).toEqual([{ value: 1 }]);
});

it('takes over from a server that a killed process has left running', async () => {
  const leftover = await start();
  await query(leftover.url(), 'CREATE TABLE kept AS SELECT 3 AS value');

  const server = await start();

  expect((await leftover.exited).code).toBe(0);
  expect(await query(server.url(), 'SELECT value FROM kept')).toEqual([{ value: 3 }]);
});

it('ignores a lock file whose process id belongs to another program by now', async () => {
  const first = await start();
  await first.stop();
  writeFileSync(path.join(dataFolder, 'postmaster.pid'), `${String(process.pid)}\n`);

  const second = await start();

  expect(await query(second.url(), 'SELECT 1 AS value')).toEqual([{ value: 1 }]);
});

it('completes an interrupted first start', async () => {
  chmodSync(folder, 0o711);
  mkdirSync(`${dataFolder}.incoming`);
  writeFileSync(`${dataFolder}.incoming/PG_VERSION`, '18');
  writeFileSync(`${dataFolder}.password`, 'left over');

  const server = await start();

  expect(await query(server.url(), 'SELECT 1 AS value')).toEqual([{ value: 1 }]);
  expect(readdirSync(folder).sort()).toEqual(['postgres', 'postgres-password']);
});

it('refuses data of another major version with one sentence', async () => {
  const first = await start();
  await first.stop();
  writeFileSync(path.join(dataFolder, 'PG_VERSION'), '9\n');

  await expect(start()).rejects.toThrow(/is of PostgreSQL 9, and this is PostgreSQL \d+/);
});
