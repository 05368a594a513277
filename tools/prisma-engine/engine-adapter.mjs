// The PostgreSQL driver adapter as the schema engine needs it: Prisma's own, with what the engine's migrations and
// catalogue queries ask beyond it.
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { PrismaPg } from '@prisma/adapter-pg';
import { ColumnTypeEnum } from '@prisma/driver-adapter-utils';

const OID_CHAR = 18; // the internal type "char" of the catalogue tables
const OID_TEXT = 25;

export class EngineAdapterFactory extends PrismaPg {
  constructor(url, shadowDatabaseUrl) {
    super({ connectionString: url }, { schema: url && schemaOf(url) });
    this.url = url;
    this.shadowDatabaseUrl = shadowDatabaseUrl;
  }

  async connect() {
    return runWholeScripts(readCharColumns(await super.connect()));
  }

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

/** The adapter refuses columns of type "char", which the catalogue queries return: they are reported as Character. */
function readCharColumns(adapter) {
  const performIO = adapter.performIO.bind(adapter);
  const queryRaw = adapter.queryRaw.bind(adapter);
  let charColumns = [];
  adapter.performIO = async (query) => {
    const result = await performIO(query);
    charColumns = result.fields.flatMap((field, index) => (field.dataTypeID === OID_CHAR ? [index] : []));
    for (const index of charColumns) result.fields[index].dataTypeID = OID_TEXT;
    return result;
  };
  adapter.queryRaw = async (query) => {
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
 */
function runWholeScripts(adapter) {
  const pool = adapter.underlyingDriver();
  adapter.executeScript = async (script) => {
    try {
      await pool.query(script);
    } catch (error) {
      adapter.onError(error);
    }
  };
  return adapter;
}

/** The engine expects a shadow database that the user names to be empty. */
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

function schemaOf(url) {
  return new URL(url).searchParams.get('schema') ?? undefined;
}
