import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type pg from 'pg';
import { codeOf, messageOf, sha256Of, type OwnerSession } from './owner-session';

/**
 * The folder of a library's SQL: functions and triggers, the types that its functions take in `types.sql`, and the
 * rights in `rights.sql`.
 */
const FOLDER = 'sql';
/** `types.sql`; and `types-2.sql`, of what comes after a type that gateways of the version before still send. */
const TYPES = /^types(-\d+)?\.sql$/;
const RIGHTS = 'rights.sql';
/** The library whose SQL the others depend on. */
const FIRST_LIBRARY = 'database';

interface SqlFile {
  /** `ledger/place.sql` */
  name: string;
  sql: string;
}

/**
 * The SQL files of all libraries, by name: `ledger/place.sql` is `libs/ledger/sql/place.sql`. In order of
 * installation, by name except for the library that comes first, and for the types of each.
 */
export function readSqlFiles(libsFolder: string): SqlFile[] {
  const libs = readdirSync(libsFolder).filter((lib) => existsSync(path.join(libsFolder, lib, FOLDER)));
  const withFirst = (isFirst: (name: string) => boolean) => (a: string, b: string) =>
    Number(isFirst(b)) - Number(isFirst(a)) || (a < b ? -1 : 1);
  return libs.sort(withFirst((lib) => lib === FIRST_LIBRARY)).flatMap((lib) =>
    readdirSync(path.join(libsFolder, lib, FOLDER))
      .filter((file) => file.endsWith('.sql'))
      .sort(withFirst((file) => TYPES.test(file)))
      .map((file) => ({
        name: `${lib}/${file}`,
        sql: readFileSync(path.join(libsFolder, lib, FOLDER, file), 'utf8'),
      })),
  );
}

/**
 * The last installed text of each file, and the types, functions and triggers that it created. Not part of Prisma's
 * schema.
 */
const NOTES = `
  CREATE SCHEMA IF NOT EXISTS farebox_install;
  CREATE TABLE IF NOT EXISTS farebox_install.sql_file (
    name text PRIMARY KEY,
    sha256 text NOT NULL,
    installed_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE TABLE IF NOT EXISTS farebox_install.sql_object (
    kind text NOT NULL,
    identity text NOT NULL,
    file text NOT NULL,
    PRIMARY KEY (kind, identity)
  )`;

/**
 * Installs the files whose text has changed since their last installation, in the owner's session and in one
 * transaction: concurrent calls see either the former version or this one. Drops what a file created before
 * and no longer does, if it still belongs to the owner. The only rights are those that the files `rights.sql`
 * grant. PostgreSQL replaces no type: if the types of a library have changed, they are dropped with the functions
 * that take them, and all files of the library are installed. Resolves to the names of the installed files, sorted.
 */
export function installSqlFiles(session: OwnerSession, files: readonly SqlFile[]): Promise<string[]> {
  return session.inTransaction('The installation of the SQL files', async () => {
    const { client } = session;
    await client.query(`${NOTES}; SET LOCAL search_path = public`);
    const { rows } = await client.query<SqlFileNote>('SELECT name, sha256 FROM farebox_install.sql_file');
    const installed = new Map(rows.map(({ name, sha256 }) => [name, sha256]));
    const isChanged = (file: SqlFile): boolean => installed.get(file.name) !== digestOf(file);
    const types = files.filter((file) => isTypes(file) && isChanged(file));
    const changed = files.filter(
      (file) =>
        isChanged(file) ||
        (!isTypes(file) && types.some((of) => path.dirname(of.name) === path.dirname(file.name))),
    );
    const isOneGone = rows.some(({ name }) => !files.some((file) => file.name === name));
    if (changed.length === 0 && !isOneGone) return [];

    await dropTypes(client, types);
    const made: Made = new Map();
    for (const file of changed.filter((each) => !isRights(each))) {
      await run(client, file);
      await noteWhatItMade(client, file, made);
    }
    const unchanged = files.filter((file) => !changed.includes(file));
    await dropWhatNoFileMakes(
      client,
      unchanged.map(({ name }) => name),
      made,
    );
    await revokeAll(client);
    for (const file of files.filter(isRights)) await run(client, file);
    await noteFiles(client, files);
    return changed.map(({ name }) => name).sort();
  });
}

interface SqlFileNote {
  name: string;
  sha256: string;
}

/** Objects created in this transaction: kind and identity, with the command that created them. */
type Made = Map<string, string>;

interface SqlObject {
  kind: 'type' | 'function' | 'trigger';
  identity: string;
  command: string;
}

const COMMENT = /--.*$/gm;

/** The digest of a file of types ignores comments: a changed comment must not cost a running gateway its types. */
function digestOf(file: SqlFile): string {
  return sha256Of(isTypes(file) ? file.sql.replace(COMMENT, '').replace(/\s+/g, ' ').trim() : file.sql);
}

const isTypes = ({ name }: SqlFile): boolean => TYPES.test(path.basename(name));
const isRights = ({ name }: SqlFile): boolean => path.basename(name) === RIGHTS;

async function run(client: pg.Client, { name, sql }: SqlFile): Promise<void> {
  try {
    await client.query(sql);
  } catch (error) {
    throw Object.assign(new Error(`${name}: ${messageOf(error)}`, { cause: error }), { code: codeOf(error) });
  }
}

const TRIGGER = `format('%I ON %s', t.tgname, t.tgrelid::regclass)`;
/** A row of the system catalogue records the transaction and the command that wrote it. */
const MADE_HERE = `
  SELECT 'function' AS kind, p.oid::regprocedure::text AS identity, p.cmin::text AS command FROM pg_proc p
  WHERE p.pronamespace = 'public'::regnamespace AND p.xmin = pg_current_xact_id()::xid
  UNION ALL
  SELECT 'trigger', ${TRIGGER}, t.cmin::text FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
  WHERE c.relnamespace = 'public'::regnamespace AND t.xmin = pg_current_xact_id()::xid AND NOT t.tgisinternal
  UNION ALL
  SELECT 'type', t.oid::regtype::text, t.cmin::text FROM pg_type t JOIN pg_class c ON c.oid = t.typrelid
  WHERE t.typnamespace = 'public'::regnamespace AND t.xmin = pg_current_xact_id()::xid AND c.relkind = 'c'`;

async function noteWhatItMade(client: pg.Client, { name }: SqlFile, made: Made): Promise<void> {
  const { rows } = await client.query<SqlObject>(MADE_HERE);
  for (const { kind, identity, command } of rows) {
    const before = made.get(`${kind} ${identity}`);
    if (before === command) continue;
    if (before !== undefined) throw new Error(`${name}: another file makes the ${kind} ${identity} too.`);
    made.set(`${kind} ${identity}`, command);
    await client.query(
      `INSERT INTO farebox_install.sql_object (kind, identity, file) VALUES ($1, $2, $3)
       ON CONFLICT (kind, identity) DO UPDATE SET file = excluded.file`,
      [kind, identity, name],
    );
  }
}

/** Triggers before their functions, and those before the types that they take. */
const NO_LONGER_MADE = `
  SELECT kind, identity FROM farebox_install.sql_object
  WHERE file <> ALL ($1) AND kind || ' ' || identity <> ALL ($2)
  ORDER BY array_position(ARRAY['trigger', 'function', 'type'], kind), identity`;
/** Only on the owner's tables. A statement trigger also exists on the partitions of its table. */
const DROP_TRIGGER = `
  SELECT format('DROP TRIGGER IF EXISTS %I ON %s', t.tgname, r.relid::regclass) AS command
  FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
  CROSS JOIN LATERAL (
    SELECT t.tgrelid AS relid UNION ALL
    SELECT i.inhrelid FROM pg_inherits i WHERE i.inhparent = t.tgrelid AND (t.tgtype & 1) = 0
  ) r
  WHERE ${TRIGGER} = $1 AND NOT t.tgisinternal AND c.relowner = current_user::regrole`;
const DROP_FUNCTION = `
  SELECT format('DROP FUNCTION %s', p.oid::regprocedure) AS command
  FROM pg_proc p WHERE p.oid = to_regprocedure($1) AND p.proowner = current_user::regrole`;
const DROP_TYPE = `
  SELECT format('DROP TYPE %s', t.oid::regtype) AS command
  FROM pg_type t WHERE t.oid = to_regtype($1) AND t.typowner = current_user::regrole`;
const DROPS = { trigger: DROP_TRIGGER, function: DROP_FUNCTION, type: DROP_TYPE };

/**
 * The objects that a file created, and the functions that take or return one of its types. A table column of such
 * a type would prevent dropping it.
 */
const TYPES_OF_FILE = `
  SELECT format('DROP FUNCTION %s', p.oid::regprocedure) AS command, 0 AS place
  FROM farebox_install.sql_object o
  JOIN pg_type t ON t.oid = to_regtype(o.identity)
  JOIN pg_depend d ON d.refclassid = 'pg_type'::regclass AND d.refobjid IN (t.oid, t.typarray)
  JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND p.oid = d.objid
  WHERE o.kind = 'type' AND o.file = $1
  UNION
  SELECT format('DROP TYPE %s', to_regtype(o.identity)), 1 FROM farebox_install.sql_object o
  WHERE o.kind = 'type' AND o.file = $1 AND to_regtype(o.identity) IS NOT NULL
  ORDER BY place`;

async function dropTypes(client: pg.Client, files: readonly SqlFile[]): Promise<void> {
  for (const { name } of files) {
    const drops = await client.query<{ command: string }>(TYPES_OF_FILE, [name]);
    for (const { command } of drops.rows) await client.query(command);
  }
}

async function dropWhatNoFileMakes(
  client: pg.Client,
  unchanged: readonly string[],
  made: Made,
): Promise<void> {
  const { rows } = await client.query<SqlObject>(NO_LONGER_MADE, [unchanged, [...made.keys()]]);
  for (const { kind, identity } of rows) {
    const drops = await client.query<{ command: string }>(DROPS[kind], [identity]);
    for (const { command } of drops.rows) await client.query(command);
    await client.query('DELETE FROM farebox_install.sql_object WHERE kind = $1 AND identity = $2', [
      kind,
      identity,
    ]);
  }
}

/**
 * The roles whose rights the files define. Rights of other roles, such as an operator's dashboard, are not
 * touched.
 */
const ROLES = ['farebox_app', 'farebox_account', 'farebox_worker', 'farebox_operator'];
/**
 * Revokes all rights of the services on the owner's objects, if there are any, and those of PUBLIC:
 * PostgreSQL lets everybody call a new function.
 */
const REVOKE_ALL = `
  WITH grantee AS (
    SELECT oid, quote_ident(rolname) AS name FROM pg_roles WHERE rolname = ANY ($1) UNION ALL SELECT 0, 'PUBLIC'
  ), place AS (
    SELECT oid, nspname, nspacl FROM pg_namespace
    WHERE nspname IN ('public', 'farebox_partition', 'farebox_archive', 'farebox_install')
  )
  SELECT DISTINCT format('REVOKE ALL ON %s FROM %s', r.what, g.name) AS command
  FROM (
    SELECT 'TABLE ' || c.oid::regclass AS what, a.grantee
    FROM pg_class c JOIN place n ON n.oid = c.relnamespace
    CROSS JOIN LATERAL (
      SELECT e.grantee FROM aclexplode(c.relacl) e UNION ALL
      SELECT e.grantee FROM pg_attribute t, aclexplode(t.attacl) e WHERE t.attrelid = c.oid AND NOT t.attisdropped
    ) a
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND c.relowner = current_user::regrole
    UNION ALL
    SELECT 'SEQUENCE ' || c.oid::regclass, a.grantee
    FROM pg_class c JOIN place n ON n.oid = c.relnamespace, aclexplode(c.relacl) a
    WHERE c.relkind = 'S' AND c.relowner = current_user::regrole
    UNION ALL
    SELECT 'FUNCTION ' || p.oid::regprocedure, a.grantee
    FROM pg_proc p JOIN place n ON n.oid = p.pronamespace, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
    WHERE p.prokind IN ('f', 'w') AND p.proowner = current_user::regrole
      AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
    UNION ALL
    SELECT format('SCHEMA %I', n.nspname), a.grantee FROM place n, aclexplode(n.nspacl) a WHERE a.grantee <> 0
  ) r
  JOIN grantee g ON g.oid = r.grantee`;

async function revokeAll(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ command: string }>(REVOKE_ALL, [ROLES]);
  if (rows.length > 0) await client.query(rows.map(({ command }) => command).join(';\n'));
}

async function noteFiles(client: pg.Client, files: readonly SqlFile[]): Promise<void> {
  await client.query('DELETE FROM farebox_install.sql_file WHERE name <> ALL ($1)', [
    files.map(({ name }) => name),
  ]);
  await client.query(
    `INSERT INTO farebox_install.sql_file (name, sha256)
     SELECT * FROM unnest($1::text[], $2::text[])
     ON CONFLICT (name) DO UPDATE SET sha256 = excluded.sha256, installed_at = excluded.installed_at
     WHERE sql_file.sha256 <> excluded.sha256`,
    [files.map(({ name }) => name), files.map(digestOf)],
  );
}
