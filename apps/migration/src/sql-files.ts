import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type pg from 'pg';
import { codeOf, messageOf, type OwnerSession } from './owner-session';
import { sha256Of } from './schema-migrations';

export interface SqlFile {
  /** `ledger/admit.sql` */
  name: string;
  sql: string;
}

/** The folder of a library that holds its SQL functions, triggers and their grants. */
const FOLDER = 'sql';

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
 * The SQL files of all libraries, by name: `ledger/admit.sql` is `libs/ledger/sql/admit.sql`. In the order of
 * their names, which is that of their installation.
 */
export function readSqlFiles(libsFolder: string): SqlFile[] {
  return readdirSync(libsFolder)
    .sort()
    .filter((lib) => existsSync(path.join(libsFolder, lib, FOLDER)))
    .flatMap((lib) => readFolder(path.join(libsFolder, lib, FOLDER), lib));
}

function readFolder(folder: string, lib: string): SqlFile[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => ({ name: `${lib}/${file}`, sql: readFileSync(path.join(folder, file), 'utf8') }));
}

/**
 * Installs, in the owner's session, the files whose text has changed since they were installed last, all in one
 * transaction: what is called meanwhile sees all of the former version or all of this one. Resolves to their names.
 */
export function installSqlFiles(session: OwnerSession, files: readonly SqlFile[]): Promise<string[]> {
  return session.inTransaction('The installation of the SQL files', async () => {
    await session.client.query(NOTES);
    const changed = await filesToInstall(session.client, files);
    for (const file of changed) await install(session.client, file);
    if (changed.length > 0) await session.client.query(REVOKE_FROM_PUBLIC);
    return changed.map(({ name }) => name);
  });
}

async function filesToInstall(client: pg.Client, files: readonly SqlFile[]): Promise<SqlFile[]> {
  const { rows } = await client.query<{ name: string; sha256: string }>(
    'SELECT name, sha256 FROM farebox_install.sql_file',
  );
  const installed = new Map(rows.map(({ name, sha256 }) => [name, sha256]));
  return files.filter(({ name, sql }) => installed.get(name) !== sha256Of(sql));
}

async function install(client: pg.Client, { name, sql }: SqlFile): Promise<void> {
  try {
    await client.query(sql);
  } catch (error) {
    throw Object.assign(new Error(`${name}: ${messageOf(error)}`, { cause: error }), { code: codeOf(error) });
  }
  await client.query(
    `INSERT INTO farebox_install.sql_file (name, sha256) VALUES ($1, $2)
     ON CONFLICT (name) DO UPDATE SET sha256 = excluded.sha256, installed_at = excluded.installed_at`,
    [name, sha256Of(sql)],
  );
}
