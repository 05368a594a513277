#!/usr/bin/env node
// Stands in for Prisma's native `schema-engine` binary: the same command line and the same JSON-RPC over stdio,
// on the official WebAssembly build of the same engine. The Prisma CLI finds it by PRISMA_SCHEMA_ENGINE_BINARY.
import { parseArgs } from 'node:util';
import { createDatabase, ensureConnectionValidity } from './database-commands.mjs';
import { runCommand } from './command-line.mjs';
import { serveJsonRpc } from './json-rpc.mjs';
import { createEngine } from './wasm-engine.mjs';

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
const datasource = values.datasource ? JSON.parse(values.datasource) : {};
const url = datasource.url ?? process.env.DATABASE_URL;

const subcommand = process.argv.indexOf('cli');
if (process.argv.includes('--version')) {
  console.log('schema-engine-cli wasm');
} else if (subcommand > 0) {
  process.exitCode = await runCommand(process.argv[subcommand + 1], url);
} else {
  let engine;
  serveJsonRpc(async (method, params) => {
    // The engine cannot answer these two: they are about a database that may not exist yet.
    if (method === 'createDatabase') return createDatabase(params?.datasource?.url ?? url);
    if (method === 'ensureConnectionValidity') return ensureConnectionValidity(url);
    engine ??= createEngine({
      url,
      shadowDatabaseUrl: datasource.shadowDatabaseUrl,
      schemaFiles: values.datamodels,
    });
    const loaded = await engine;
    return method === 'getDatabaseVersion' ? loaded.version(params) : loaded[method](params);
  });
}
