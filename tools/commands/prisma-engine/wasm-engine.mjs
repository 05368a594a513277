// Loads the schema engine's WebAssembly build and binds it to PostgreSQL, by Prisma's own driver adapter with what the
// engine's migrations and catalogue queries ask beyond it. The adapter's insides have no types.
// @ts-check
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import pg from 'pg';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from '@prisma/driver-adapter-utils';

const OID_CHAR = 18; // the internal type "char" of the catalogue tables
const OID_TEXT = 25;

const require = createRequire(import.meta.url);
const debug = process.env['FAREBOX_SCHEMA_ENGINE_DEBUG'] ? console.error : () => undefined;

/**
 * An engine for the schema files given and the database at `url`; nothing is connected until a method needs it.
 * @param {{ url: string, shadowDatabaseUrl: string | undefined, schemaFiles: string[] | undefined }} options
 * @returns {Promise<Record<string, any>>}
 */
export async function createEngine({ url, shadowDatabaseUrl, schemaFiles }) {
  const { SchemaEngine } = await loadWasm();
  const datamodels = schemaFiles?.map(
    (file) => /** @type {[string, string]} */ ([file, readFileSync(file, 'utf8')]),
  );
  const factory = new EngineAdapterFactory(url, shadowDatabaseUrl);
  return SchemaEngine.new({ datamodels }, debug, bindMigrationAwareSqlAdapterFactory(factory));
}

function installedWasmFile() {
  return require.resolve('@prisma/schema-engine-wasm/schema_engine_bg').replace(/\.js$/, '.wasm');
}

async function loadWasm() {
  const bindings = await import('@prisma/schema-engine-wasm/schema_engine_bg');
  const bytes = readFileSync(installedWasmFile());
  const { instance } = await /** @type {any} */ (globalThis).WebAssembly.instantiate(bytes, {
    './schema_engine_bg.js': bindings,
  });
  bindings.__wbg_set_wasm(instance.exports);
  instance.exports.__wbindgen_start();
  return bindings;
}

class EngineAdapterFactory extends PrismaPg {
  /**
   * @param {string} url
   * @param {string} [shadowDatabaseUrl]
   */
  constructor(url, shadowDatabaseUrl) {
    const schema = url && new URL(url).searchParams.get('schema');
    super({ connectionString: url }, schema ? { schema } : {});
    this.url = url;
    this.shadowDatabaseUrl = shadowDatabaseUrl;
  }

  /** @override */
  async connect() {
    return runWholeScripts(readCharColumns(await super.connect()));
  }

  /** @override */
  async connectToShadowDb() {
    if (this.shadowDatabaseUrl) {
      await emptyDatabase(this.shadowDatabaseUrl);
      return new EngineAdapterFactory(this.shadowDatabaseUrl).connect();
    }
    return this.connectToThrowAwayDb();
  }

  /** A database that exists as long as the connection to it. */
  async connectToThrowAwayDb() {
    const name = `prisma_migrate_shadow_db_${randomUUID()}`;
    const admin = new pg.Client({ connectionString: this.url });
    await admin.connect();
    await admin.query(`CREATE DATABASE "${name}"`);
    const url = new URL(this.url);
    url.pathname = `/${name}`;
    const adapter = await new EngineAdapterFactory(url.href).connect();
    const dispose = adapter.dispose.bind(adapter);
    adapter.dispose = async () => {
      await dispose();
      await admin.query(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
      await admin.end();
    };
    return adapter;
  }
}

/**
 * The adapter refuses columns of type "char", which the catalogue queries return: they are reported as Character.
 * @param {any} adapter
 */
function readCharColumns(adapter) {
  const performIO = adapter.performIO.bind(adapter);
  const queryRaw = adapter.queryRaw.bind(adapter);
  /** @type {number[]} */
  let charColumns = [];
  adapter.performIO = async (/** @type {unknown} */ query) => {
    const result = await performIO(query);
    charColumns = result.fields.flatMap(
      (/** @type {{ dataTypeID: number }} */ field, /** @type {number} */ index) =>
        field.dataTypeID === OID_CHAR ? [index] : [],
    );
    for (const index of charColumns) result.fields[index].dataTypeID = OID_TEXT;
    return result;
  };
  adapter.queryRaw = async (/** @type {unknown} */ query) => {
    const result = await queryRaw(query);
    for (const index of charColumns) {
      result.columnTypes[index] = ColumnTypeEnum.Character;
      for (const row of result.rows) if (row[index] === '') row[index] = '\0';
    }
    return result;
  };
  return adapter;
}

/**
 * The adapter cuts a script at every semicolon, also inside a function's body. The native engine sends a migration
 * as one simple query, which is one transaction; so does this.
 * @param {any} adapter
 */
function runWholeScripts(adapter) {
  const pool = adapter.underlyingDriver();
  adapter.executeScript = async (/** @type {string} */ script) => {
    try {
      await pool.query(script);
    } catch (error) {
      adapter.onError(error);
    }
  };
  return adapter;
}

/**
 * The engine expects a shadow database that the user names to be empty.
 * @param {string} url
 */
async function emptyDatabase(url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query(
      "SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'",
    );
    for (const { nspname } of rows) await client.query(`DROP SCHEMA ${pg.escapeIdentifier(nspname)} CASCADE`);
    await client.query('CREATE SCHEMA public');
  } finally {
    await client.end();
  }
}
