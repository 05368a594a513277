#!/usr/bin/env node
// Stands in for Prisma's native `schema-engine` binary: the same command line and the same JSON-RPC over stdio,
// on the official WebAssembly build of the same engine. The Prisma CLI finds it by PRISMA_SCHEMA_ENGINE_BINARY.
// `prisma generate` needs no engine, but `migrate dev` and `migrate diff` do, and Prisma 7.10 takes it from nowhere else: it
// downloads the native one, and its configuration no longer takes a driver adapter, with which 6 ran this build itself.
// @ts-check
import readline from 'node:readline';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { createEngine } from './wasm-engine.mjs';

/** The native engine's code for every error. */
const FAILED = 4466;
/** @type {Record<string, ((url: string) => Promise<unknown>) | undefined>} */
const SUBCOMMANDS = {
  'can-connect-to-database': ensureConnectionValidity,
  'create-database': createDatabase,
};

const { values } = parseArgs({
  strict: false,
  allowPositionals: true,
  options: {
    datamodels: { type: 'string', multiple: true, short: 'd' },
    datasource: { type: 'string' },
    'enabled-preview-features': { type: 'string' },
    'extension-types': { type: 'string' },
  },
});
/** @type {{ url?: string, shadowDatabaseUrl?: string }} */
const datasource = typeof values.datasource === 'string' ? JSON.parse(values.datasource) : {};
const url = datasource.url ?? process.env['DATABASE_URL'] ?? '';
const schemaFiles = values.datamodels?.filter((file) => typeof file === 'string');

const subcommand = process.argv.indexOf('cli');
if (process.argv.includes('--version')) {
  console.log('schema-engine-cli wasm');
} else if (subcommand > 0) {
  process.exitCode = await runSubcommand(process.argv[subcommand + 1] ?? '');
} else {
  /** @type {ReturnType<typeof createEngine> | undefined} */
  let engine;
  serveJsonRpc(async (method, params) => {
    // The engine cannot answer these two: they are about a database that may not exist yet.
    if (method === 'createDatabase') return createDatabase(params?.datasource?.url ?? url);
    if (method === 'ensureConnectionValidity') return ensureConnectionValidity(url);
    engine ??= createEngine({ url, shadowDatabaseUrl: datasource.shadowDatabaseUrl, schemaFiles });
    const loaded = await engine;
    return method === 'getDatabaseVersion' ? loaded.version(params) : loaded[method](params);
  });
}

/**
 * Resolves to the exit code.
 * @param {string} name
 */
async function runSubcommand(name) {
  try {
    const command = SUBCOMMANDS[name];
    if (!command) throw new Error(`unsupported: ${name}`);
    await command(url);
    return 0;
  } catch (error) {
    const { message, code } = asFailure(error);
    const fields = { is_panic: false, message, error_code: code ?? 'P1001', meta: {} };
    console.error('{}'); // the Prisma CLI drops the first line of stderr
    console.error(JSON.stringify({ level: 'ERROR', fields, target: 'schema_engine::logger' }));
    return 1;
  }
}

/**
 * Serves the engine's protocol, JSON-RPC 2.0, one message a line on stdin and stdout, responded to in order, until stdin
 * closes; then ends the process when the last response is out.
 * @param {(method: string, params: any) => Promise<any>} call
 */
function serveJsonRpc(call) {
  let pending = Promise.resolve();
  readline
    .createInterface({ input: process.stdin })
    .on('line', (line) => {
      const { id, method, params } = JSON.parse(line);
      if (method) pending = pending.then(() => respond(id, method, params));
    })
    .on('close', () => void pending.finally(() => process.exit(0)));

  /**
   * @param {unknown} id
   * @param {string} method
   * @param {unknown} params
   */
  async function respond(id, method, params) {
    try {
      const result = await call(method, params);
      // The native engine prints a diff through its host before it responds.
      if (method === 'diff' && result?.stdout != null) {
        send({ id: 'p1', method: 'print', params: { content: result.stdout } });
      }
      send({ id, result: result ?? null });
    } catch (error) {
      const { name, message, code, meta } = asFailure(error);
      // RuntimeError is a WebAssembly trap.
      const data = { is_panic: name === 'RuntimeError', message, error_code: code, meta };
      const text = 'An error happened. Check the data field for details.';
      send({ id, error: { code: FAILED, message: text, data } });
    }
  }
}

/** @param {object} message */
function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

/**
 * @param {unknown} error
 * @returns {{ name?: string, message: string, code?: string, meta?: unknown }}
 */
function asFailure(error) {
  return error instanceof Error ? error : { message: String(error) };
}

/**
 * Creates the database that `url` names, over the server's `postgres` database.
 * @param {string} url
 */
async function createDatabase(url) {
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

/**
 * Resolves if `url` can be connected to; otherwise throws with Prisma's own error code.
 * @param {string} url
 */
async function ensureConnectionValidity(url) {
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

/**
 * @param {any} error
 * @param {URL} url
 */
function toPrismaError(error, url) {
  /** @type {Record<string, [string, string]>} */
  const known = {
    '3D000': ['P1003', `Database \`${databaseNameOf(url)}\` does not exist`],
    '28P01': ['P1000', `Authentication failed against database server at \`${url.host}\``],
  };
  const reason = error.message || error.code;
  const unreachable = ['P1001', `Can't reach database server at \`${url.host}\`: ${reason}`];
  const [code, message] = known[error.code] ?? unreachable;
  return Object.assign(new Error(message), { code });
}

/** @param {URL} url */
function databaseNameOf(url) {
  return decodeURIComponent(url.pathname.slice(1));
}
