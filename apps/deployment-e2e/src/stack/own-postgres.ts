import { startTemporaryPostgres } from '@farebox/local-services';
import pg from 'pg';

export interface OwnPostgres {
  /** `127.0.0.1:5432`. */
  address: string;
  /** As the owner of the database. */
  pool: pg.Pool;
  remove(): Promise<void>;
}

/**
 * Unlike the tests' own server, which is set up without any durability: the operator's doctor would report
 * that.
 */
const AS_BY_DEFAULT = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' };

/**
 * A PostgreSQL as its image creates it at the first start with these variables: an owner, and their database.
 */
export async function startOwnPostgres(env: Readonly<Record<string, string>>): Promise<OwnPostgres> {
  const { POSTGRES_USER: user = '', POSTGRES_PASSWORD: password = '', POSTGRES_DB: database = '' } = env;
  const postgres = await startTemporaryPostgres(AS_BY_DEFAULT);
  const { server } = postgres;
  const client = new pg.Client({ connectionString: server.url() });
  await client.connect();
  const owner = pg.escapeIdentifier(user);
  await client.query(`CREATE ROLE ${owner} SUPERUSER LOGIN PASSWORD ${pg.escapeLiteral(password)}`);
  await client.query(`CREATE DATABASE ${pg.escapeIdentifier(database)} OWNER ${owner}`);
  await client.end();

  const address = `127.0.0.1:${String(server.port)}`;
  const url = `postgresql://${user}:${password}@${address}/${database}`;
  const pool = new pg.Pool({ connectionString: url, max: 4 });
  pool.on('error', () => undefined);
  return {
    address,
    pool,
    async remove() {
      await pool.end();
      await postgres.remove();
    },
  };
}
