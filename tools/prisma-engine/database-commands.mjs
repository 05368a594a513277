// What the schema engine answers about a database that it may not be able to connect to.
import pg from 'pg';

/** Creates the database that `url` names, over the server's `postgres` database. */
export async function createDatabase(url) {
  const serverUrl = new URL(url);
  const databaseName = databaseNameOf(serverUrl);
  serverUrl.pathname = '/postgres';
  const client = new pg.Client({ connectionString: serverUrl.href });
  await client.connect();
  try {
    await client.query(`CREATE DATABASE ${pg.escapeIdentifier(databaseName)}`);
  } finally {
    await client.end();
  }
  return { databaseName };
}

/** Resolves if `url` can be connected to; otherwise throws with Prisma's own error code. */
export async function ensureConnectionValidity(url) {
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    await client.query('SELECT 1');
    return {};
  } catch (error) {
    throw toPrismaError(error, new URL(url));
  } finally {
    await client.end().catch(() => undefined);
  }
}

function toPrismaError(error, url) {
  const known = {
    '3D000': ['P1003', `Database \`${databaseNameOf(url)}\` does not exist`],
    '28P01': ['P1000', `Authentication failed against database server at \`${url.host}\``],
  };
  const reason = error.message || error.code;
  const unreachable = ['P1001', `Can't reach database server at \`${url.host}\`: ${reason}`];
  const [code, message] = known[error.code] ?? unreachable;
  return Object.assign(new Error(message), { code });
}

function databaseNameOf(url) {
  return decodeURIComponent(url.pathname.slice(1));
}
