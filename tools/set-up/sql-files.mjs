import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';

/** The folder of a library that holds its SQL functions, triggers and their grants. */
const FOLDER = 'postgres';

/** Which text of each file was installed last. Not of the schema that Prisma keeps. */
const NOTES = `
  CREATE SCHEMA IF NOT EXISTS farebox_install;
  CREATE TABLE IF NOT EXISTS farebox_install.sql_file (
    name text PRIMARY KEY,
    sha256 text NOT NULL,
    installed_at timestamptz NOT NULL DEFAULT now()
  )`;

/** PostgreSQL lets everybody call a new function. Here only those may whom a file grants it. */
const REVOKE_FROM_PUBLIC = `
  DO $$
  DECLARE
    v_function regprocedure;
  BEGIN
    FOR v_function IN
      SELECT p.oid FROM pg_proc p
      WHERE p.pronamespace = 'public'::regnamespace
        AND EXISTS (SELECT FROM aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
                    WHERE a.grantee = 0 AND a.privilege_type = 'EXECUTE')
    LOOP
      EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', v_function);
    END LOOP;
  END $$`;

/**
 * The SQL files of all libraries, by name: `ledger/admit.sql` is `libs/ledger/postgres/admit.sql`. In the order of
 * their names, which is that of their installation.
 */
export function readSqlFiles(libsFolder) {
  return readdirSync(libsFolder)
    .sort()
    .filter((lib) => existsSync(path.join(libsFolder, lib, FOLDER)))
    .flatMap((lib) => readFolder(path.join(libsFolder, lib, FOLDER), lib));
}

function readFolder(folder, lib) {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => ({ name: `${lib}/${file}`, sql: readFileSync(path.join(folder, file), 'utf8') }));
}

/**
 * Installs, as the owner of the database, the files whose text has changed since they were installed last, all in one
 * transaction: what is called meanwhile sees all of the former version or all of this one. Resolves to their names.
 */
export async function installSqlFiles(databaseUrl, files) {
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on('error', () => undefined); // the query under way tells it
  try {
    await client.connect();
    await client.query('BEGIN');
    // Of two that run at once, the second finds everything done.
    await client.query(`SELECT pg_advisory_xact_lock(hashtext('farebox sql files'))`);
    await client.query(NOTES);
    const changed = await filesToInstall(client, files);
    for (const file of changed) await install(client, file);
    if (changed.length > 0) await client.query(REVOKE_FROM_PUBLIC);
    await client.query('COMMIT');
    return changed.map(({ name }) => name);
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function filesToInstall(client, files) {
  const { rows } = await client.query('SELECT name, sha256 FROM farebox_install.sql_file');
  const installed = new Map(rows.map(({ name, sha256 }) => [name, sha256]));
  return files.filter(({ name, sql }) => installed.get(name) !== sha256Of(sql));
}

async function install(client, { name, sql }) {
  try {
    await client.query(sql);
  } catch (error) {
    throw new Error(`${name}: ${error.message}`, { cause: error });
  }
  await client.query(
    `INSERT INTO farebox_install.sql_file (name, sha256) VALUES ($1, $2)
     ON CONFLICT (name) DO UPDATE SET sha256 = excluded.sha256, installed_at = excluded.installed_at`,
    [name, sha256Of(sql)],
  );
}

const sha256Of = (text) => createHash('sha256').update(text).digest('hex');
