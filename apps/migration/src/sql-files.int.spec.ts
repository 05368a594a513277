import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTemporaryPostgres, workspaceRoot, type TemporaryPostgres } from '@farebox/local-services';
import pg from 'pg';
import { readCatalogue } from '../test/catalogue';
import { migrateDatabase } from './migrate-database';

let postgres: TemporaryPostgres;
let libsFolder: string;
let db: pg.Pool;
let databases = 0;
let databaseUrl: string;

beforeAll(async () => {
  postgres = await startTemporaryPostgres();
  databaseUrl = postgres.server.url('migrated');
  libsFolder = path.join(workspaceRoot(), 'libs');
  await migrate();
});
afterAll(() => postgres.remove());

beforeEach(async () => {
  const server = new pg.Client({ connectionString: postgres.server.url() });
  await server.connect();
  databases += 1;
  await server.query(`CREATE DATABASE d${String(databases)} TEMPLATE migrated`);
  await server.end();
  databaseUrl = postgres.server.url(`d${String(databases)}`);
  db = new pg.Pool({ connectionString: databaseUrl });
  db.on('error', () => undefined);
  libsFolder = mkdtempSync(path.join(tmpdir(), 'farebox-libs-'));
  for (const lib of ['accounts', 'billing', 'catalog', 'database', 'ledger', 'mail'])
    cpSync(path.join(workspaceRoot(), 'libs', lib, 'sql'), path.join(libsFolder, lib, 'sql'), {
      recursive: true,
    });
});
afterEach(async () => {
  await db.end();
  rmSync(libsFolder, { recursive: true });
});

async function migrate(): Promise<string[]> {
  const said: string[] = [];
  const migrationsFolder = path.join(workspaceRoot(), 'prisma/migrations');
  await migrateDatabase({ databaseUrl, migrationsFolder, libsFolder, say: (line) => said.push(line) });
  return said;
}

function change(file: string, from: string, to: string): void {
  const [lib = '', name = ''] = file.split('/');
  const target = path.join(libsFolder, lib, 'sql', name);
  const sql = readFileSync(target, 'utf8');
  expect(sql).toContain(from);
  writeFileSync(
    target,
    sql.replace(from, () => to),
  );
}

function append(file: string, sql: string): void {
  change(file, '', `${sql}\n`);
}

async function ask<Value>(sql: string): Promise<Value | undefined> {
  const { rows } = await db.query<{ value: Value }>(`SELECT ${sql} AS value`);
  return rows[0]?.value;
}

async function catalogue(): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return await readCatalogue(client);
  } finally {
    await client.end();
  }
}

const triggersNamed = (name: string): Promise<number | undefined> =>
  ask(`(SELECT count(*)::int FROM pg_trigger WHERE tgname = '${name}')`);

it('a function changed in its file takes effect with the next run', async () => {
  change('billing/invoices.sql', `'INV-'`, `'BILL-'`);
  expect(await migrate()).toEqual([
    'No migration was missing.',
    'Installed the SQL of billing/invoices.sql.',
  ]);
  expect(await ask('invoice_number(2026, 42)')).toBe('BILL-2026-000042');
  expect(await migrate()).toEqual(['No migration was missing.']);
});

it('nobody may call a new function until a file grants the right', async () => {
  append('ledger/entries.sql', 'CREATE FUNCTION ledger_new() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$;');
  await migrate();
  const mayCall = (role: string): string => `has_function_privilege('${role}', 'ledger_new()', 'EXECUTE')`;
  expect(await ask(mayCall('public'))).toBe(false);
  expect(await ask(mayCall('farebox_app'))).toBe(false);
  append('ledger/rights.sql', 'GRANT EXECUTE ON FUNCTION ledger_new TO farebox_app;');
  await migrate();
  expect(await ask(mayCall('farebox_app'))).toBe(true);
  expect(await ask(mayCall('public'))).toBe(false);
});

it('a right that no file names is revoked, whoever granted it, but not that of another role', async () => {
  const mayRead = (role: string, table: string): string =>
    `has_table_privilege('${role}', '${table}', 'SELECT')`;
  await db.query(`CREATE ROLE dashboard`);
  await db.query(
    'GRANT SELECT ON operator_action TO farebox_app, dashboard; GRANT SELECT (email) ON account TO PUBLIC',
  );
  change('catalog/rights.sql', 'TO farebox_app, farebox_account', 'TO farebox_app');
  await migrate();
  expect(await ask(mayRead('farebox_app', 'operator_action'))).toBe(false);
  expect(await ask(`has_column_privilege('dashboard', 'account', 'email', 'SELECT')`)).toBe(false);
  expect(await ask(mayRead('farebox_account', 'model'))).toBe(false);
  expect(await ask(mayRead('farebox_app', 'model'))).toBe(true);
  expect(await ask(mayRead('dashboard', 'operator_action'))).toBe(true);
});

it('a function that no file creates any more is dropped, unless its owner has changed', async () => {
  append('ledger/entries.sql', 'CREATE FUNCTION ledger_one() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$;');
  append('mail/mails.sql', 'CREATE FUNCTION mail_one() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$;');
  await migrate();
  await db.query('CREATE FUNCTION of_an_operator() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$');
  await db.query('CREATE ROLE somebody; ALTER FUNCTION mail_one() OWNER TO somebody');
  for (const file of ['ledger/entries.sql', 'mail/mails.sql']) {
    const [lib = '', name = ''] = file.split('/');
    cpSync(path.join(workspaceRoot(), 'libs', lib, 'sql', name), path.join(libsFolder, lib, 'sql', name));
  }
  await migrate();
  expect(await ask(`to_regprocedure('ledger_one()')`)).toBeNull();
  expect(await ask(`to_regprocedure('mail_one()')`)).toBe('mail_one()');
  expect(await ask(`to_regprocedure('of_an_operator()')`)).toBe('of_an_operator()');
});

it('a function that moves to another file stays, and the functions of a deleted file are dropped', async () => {
  const owed = readFileSync(path.join(libsFolder, 'ledger/sql/owed.sql'), 'utf8');
  rmSync(path.join(libsFolder, 'ledger/sql/owed.sql'));
  append('ledger/entries.sql', owed);
  rmSync(path.join(libsFolder, 'catalog/sql/prices.sql'));
  await migrate();
  expect(await ask(`to_regprocedure('ledger_take_owed(uuid,timestamptz)') IS NOT NULL`)).toBe(true);
  expect(await triggersNamed('price_version_append_only')).toBe(0);
});

it('a type that was changed is made again, with the functions that take it, and goes with its file', async () => {
  const takes = (type: string): string =>
    `CREATE OR REPLACE FUNCTION mail_size(p_one ${type}, p_many ${type}[]) RETURNS int LANGUAGE sql AS $$ SELECT (p_one).size $$;`;
  writeFileSync(path.join(libsFolder, 'mail/sql/types.sql'), 'CREATE TYPE mail_box AS (size int);');
  append('mail/mails.sql', takes('mail_box'));
  await migrate();
  expect(await ask(`mail_size('(3)', '{"(4)"}')`)).toBe(3);

  change('mail/types.sql', 'size int', 'color text, size int');
  const [, installed] = await migrate();
  expect(installed).toContain('mail/mails.sql');
  expect(installed).not.toContain('ledger/');
  expect(await ask(`mail_size('(red,3)', '{}')`)).toBe(3);
  expect(await migrate()).toEqual(['No migration was missing.']);

  const idOfType = await ask(`'mail_box'::regtype::oid`);
  writeFileSync(path.join(libsFolder, 'mail/sql/types-2.sql'), 'CREATE TYPE mail_crate AS (size int);');
  await migrate();
  expect(await ask(`'mail_box'::regtype::oid`)).toBe(idOfType);
  expect(await ask(`mail_size('(red,3)', '{}')`)).toBe(3);

  rmSync(path.join(libsFolder, 'mail/sql/types.sql'));
  change('mail/mails.sql', takes('mail_box'), '');
  await migrate();
  expect(await ask(`to_regtype('mail_box')`)).toBeNull();
});

it('a type of which only a comment was changed is left as it is, with the functions that take it', async () => {
  const idOfType = await ask(`'ledger_settlement'::regtype::oid`);
  append('ledger/types.sql', '-- Of the next version.');
  expect(await migrate()).toEqual(['No migration was missing.']);
  expect(await ask(`'ledger_settlement'::regtype::oid`)).toBe(idOfType);
});

it('a type that a table has is left as it is, with everything else', async () => {
  writeFileSync(path.join(libsFolder, 'mail/sql/types.sql'), 'CREATE TYPE mail_box AS (size int);');
  await migrate();
  await db.query('CREATE TABLE box (box mail_box)');
  const before = await catalogue();
  change('mail/types.sql', 'size int', 'color text, size int');
  await expect(migrate()).rejects.toThrow('cannot drop type mail_box because other objects depend on it');
  expect(await catalogue()).toEqual(before);
});

it('two files that create the same thing are refused', async () => {
  append('ledger/entries.sql', readFileSync(path.join(libsFolder, 'ledger/sql/owed.sql'), 'utf8'));
  append('ledger/owed.sql', '-- changed');
  await expect(migrate()).rejects.toThrow(/ledger\/owed\.sql: another file makes the function ledger_/);
});

it('statement triggers are created and dropped on the partitions too', async () => {
  append(
    'ledger/guards.sql',
    'CREATE OR REPLACE TRIGGER one_more BEFORE DELETE ON ledger_entry FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();',
  );
  await migrate();
  expect(await triggersNamed('one_more')).toBe(3);
  expect(await triggersNamed('ledger_entry_no_truncate')).toBe(3);
  change('ledger/guards.sql', 'CREATE OR REPLACE TRIGGER one_more', '-- CREATE OR REPLACE TRIGGER one_more');
  await migrate();
  expect(await triggersNamed('one_more')).toBe(0);
});

it('if one file fails none is installed, and the message names it', async () => {
  const before = await catalogue();
  change('billing/invoices.sql', `'INV-'`, `'BILL-'`);
  append('mail/mails.sql', 'SELECT nothing_like_it();');
  await expect(migrate()).rejects.toThrow('mail/mails.sql: function nothing_like_it() does not exist');
  expect(await catalogue()).toEqual(before);
});

it('an interrupted run changes nothing, and the next one does all of it', async () => {
  const before = await catalogue();
  change('billing/invoices.sql', `'INV-'`, `'BILL-'`);
  append('mail/mails.sql', 'SELECT pg_sleep(60);');
  const cutOff = expect(migrate()).rejects.toThrow(/terminating connection|Connection terminated/);
  const sleeping = `(SELECT count(pg_terminate_backend(pid))::int FROM pg_stat_activity
    WHERE application_name = 'farebox-migration' AND wait_event = 'PgSleep')`;
  while ((await ask(sleeping)) === 0) await sleep(20);
  await cutOff;
  expect(await catalogue()).toEqual(before);

  change('mail/mails.sql', 'SELECT pg_sleep(60);', '');
  await migrate();
  expect(await ask('invoice_number(2026, 42)')).toBe('BILL-2026-000042');
});

it('one of two concurrent runs installs, and the other finds it done', async () => {
  change('billing/invoices.sql', `'INV-'`, `'BILL-'`);
  const said = (await Promise.all([migrate(), migrate()])).flat();
  expect(said.filter((line) => line.startsWith('Installed'))).toEqual([
    'Installed the SQL of billing/invoices.sql.',
  ]);
  expect(said).toContain('Another migration of this database is under way: waiting for its end.');
});
