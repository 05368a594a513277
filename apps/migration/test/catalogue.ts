import type { Client } from 'pg';

// The contents of a database, one line per object, for comparison with another one. All schemas except
// PostgreSQL's own.

const OURS = `n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'`;
/** Effective rights: an object without its own ACL has the defaults of its kind. */
const rightsOf = (acl: string, kind: string, owner: string): string =>
  `aclexplode(coalesce(${acl}, acldefault('${kind}', ${owner}))) a`;
const GRANTEE = `CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE CASE WHEN a.grantee = o.oid THEN 'the owner' ELSE a.grantee::regrole::text END END
  || CASE WHEN a.is_grantable THEN ' with grant option' ELSE '' END`;
/** Partition bounds are months counted from the day on which the database was created. */
const WITHOUT_MONTH = (definition: string): string =>
  `regexp_replace(${definition}, '''[0-9a-f]{8}-[0-9a-f]{4}-7000-8000-000000000000''', '<a month>', 'g')`;

const QUERIES: Readonly<Record<string, string>> = {
  schema: `
    SELECT n.nspname, obj_description(n.oid, 'pg_namespace') FROM pg_namespace n WHERE ${OURS}`,
  'right on schema': `
    SELECT n.nspname, a.privilege_type, ${GRANTEE} FROM pg_namespace n JOIN pg_roles o ON o.oid = n.nspowner,
         ${rightsOf('n.nspacl', 'n', 'n.nspowner')} WHERE ${OURS}`,
  relation: `
    SELECT n.nspname, c.relname, c.relkind, c.relpersistence, c.relreplident, c.relrowsecurity, c.reloptions,
           o.rolname = current_user, pg_get_partkeydef(c.oid), ${WITHOUT_MONTH('pg_get_expr(c.relpartbound, c.oid)')},
           (SELECT array_agg(i.inhparent::regclass::text) FROM pg_inherits i WHERE i.inhrelid = c.oid),
           obj_description(c.oid, 'pg_class'), CASE WHEN c.relkind IN ('v', 'm') THEN pg_get_viewdef(c.oid) END
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_roles o ON o.oid = c.relowner WHERE ${OURS}`,
  'right on relation': `
    SELECT n.nspname, c.relname, a.privilege_type, ${GRANTEE}
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_roles o ON o.oid = c.relowner,
         aclexplode(coalesce(c.relacl, acldefault(CASE c.relkind WHEN 'S' THEN 's' ELSE 'r' END::"char", c.relowner))) a
    WHERE ${OURS} AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S')`,
  column: `
    SELECT n.nspname, c.relname, row_number() OVER (PARTITION BY c.oid ORDER BY t.attnum), t.attname,
           format_type(t.atttypid, t.atttypmod), t.attnotnull, pg_get_expr(d.adbin, d.adrelid), t.attidentity,
           t.attgenerated, t.attstorage, t.attcompression, nullif(t.attstattarget, -1), t.attcollation, t.attoptions,
           t.attislocal, t.attinhcount, col_description(c.oid, t.attnum)
    FROM pg_attribute t JOIN pg_class c ON c.oid = t.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = t.attnum
    WHERE ${OURS} AND t.attnum > 0 AND NOT t.attisdropped AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'c')`,
  'right on column': `
    SELECT n.nspname, c.relname, t.attname, a.privilege_type, ${GRANTEE}
    FROM pg_attribute t JOIN pg_class c ON c.oid = t.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_roles o ON o.oid = c.relowner, aclexplode(t.attacl) a WHERE ${OURS} AND NOT t.attisdropped`,
  // NOT NULL is listed with its column: since version 18 it is also a constraint, whose name depends on its
  // origin.
  constraint: `
    SELECT n.nspname, coalesce(c.conrelid::regclass::text, c.contypid::regtype::text), c.conname, pg_get_constraintdef(c.oid),
           c.convalidated, c.conislocal, c.coninhcount, c.contype = 'c' AND c.connoinherit, obj_description(c.oid, 'pg_constraint')
    FROM pg_constraint c JOIN pg_namespace n ON n.oid = c.connamespace WHERE ${OURS} AND c.contype <> 'n'`,
  index: `
    SELECT n.nspname, c.relname, pg_get_indexdef(i.indexrelid), i.indisvalid, i.indisready, i.indislive, i.indisclustered,
           i.indisreplident, c.reloptions
    FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_namespace n ON n.oid = c.relnamespace WHERE ${OURS}`,
  type: `
    SELECT n.nspname, t.typname, t.typtype, format_type(nullif(t.typbasetype, 0), t.typtypmod), t.typnotnull, t.typdefault,
           (SELECT array_agg(e.enumlabel ORDER BY e.enumsortorder) FROM pg_enum e WHERE e.enumtypid = t.oid),
           obj_description(t.oid, 'pg_type')
    FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace WHERE ${OURS}`,
  'right on type': `
    SELECT n.nspname, t.typname, a.privilege_type, ${GRANTEE}
    FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace JOIN pg_roles o ON o.oid = t.typowner,
         ${rightsOf('t.typacl', 'T', 't.typowner')} WHERE ${OURS} AND t.typtype IN ('e', 'd')`,
  function: `
    SELECT n.nspname, p.oid::regprocedure, o.rolname = current_user, pg_get_functiondef(p.oid),
           obj_description(p.oid, 'pg_proc')
    FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace JOIN pg_roles o ON o.oid = p.proowner
    WHERE ${OURS} AND p.prokind <> 'a'`,
  'right on function': `
    SELECT n.nspname, p.oid::regprocedure, a.privilege_type, ${GRANTEE}
    FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace JOIN pg_roles o ON o.oid = p.proowner,
         ${rightsOf('p.proacl', 'f', 'p.proowner')} WHERE ${OURS}`,
  trigger: `
    SELECT n.nspname, c.relname, t.tgname, pg_get_triggerdef(t.oid), t.tgenabled, t.tgparentid <> 0,
           obj_description(t.oid, 'pg_trigger')
    FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE ${OURS} AND NOT t.tgisinternal`,
  sequence: `
    SELECT schemaname, sequencename, data_type, start_value, min_value, max_value, increment_by, cycle, cache_size
    FROM pg_sequences`,
  policy: 'SELECT * FROM pg_policies',
  rule: 'SELECT * FROM pg_rules WHERE schemaname <> $$pg_catalog$$',
  extension: 'SELECT extname, extversion FROM pg_extension',
  'default right':
    'SELECT defaclrole::regrole, defaclnamespace::regnamespace, defaclobjtype, defaclacl FROM pg_default_acl',
  role: `
    SELECT rolname, rolsuper, rolinherit, rolcreaterole, rolcreatedb, rolcanlogin, rolreplication, rolbypassrls,
           rolconnlimit, (SELECT array_agg(m.roleid::regrole::text ORDER BY 1) FROM pg_auth_members m WHERE m.member = r.oid),
           shobj_description(oid, 'pg_authid')
    FROM pg_roles r WHERE rolname ~ '^farebox_'`,
  'setting of role': `
    SELECT setrole::regrole, setdatabase <> 0, setconfig FROM pg_db_role_setting
    WHERE setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))`,
  'right on database': `
    SELECT a.privilege_type, ${GRANTEE} FROM pg_database d JOIN pg_roles o ON o.oid = d.datdba,
         ${rightsOf('d.datacl', 'd', 'd.datdba')} WHERE d.datname = current_database()`,
  'migration noted':
    'SELECT migration_name, checksum, finished_at IS NULL, rolled_back_at FROM _prisma_migrations',
  'SQL file installed': 'SELECT name, sha256 FROM farebox_install.sql_file',
  'installed by file': 'SELECT kind, identity, file FROM farebox_install.sql_object',
  // Initial rows of the schema.
  row: `
    SELECT 'catalog_state', id, version FROM catalog_state UNION ALL SELECT 'cohort ' || name, daily_request_cap,
           daily_spend_cap_nano FROM cohort UNION ALL SELECT 'usage_sum_state', id, NULL FROM usage_sum_state
    UNION ALL SELECT 'sales_state', id, NULL FROM sales_state
    UNION ALL SELECT 'usage_retention', id, NULL FROM usage_retention`,
};

export async function readCatalogue(client: Client): Promise<string[]> {
  const lines: string[] = [];
  for (const [what, sql] of Object.entries(QUERIES)) {
    const { rows } = await client.query<unknown[]>({ text: sql, rowMode: 'array' });
    lines.push(...rows.map((row) => `${what}: ${row.map((value) => JSON.stringify(value)).join(' ')}`));
  }
  return lines.sort();
}
