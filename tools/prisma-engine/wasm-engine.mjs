// Loads the schema engine's WebAssembly build and binds it to PostgreSQL.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import { EngineAdapterFactory } from './engine-adapter.mjs';

const require = createRequire(import.meta.url);
const debug = process.env.FAREBOX_SCHEMA_ENGINE_DEBUG ? console.error : () => undefined;

/** An engine for the schema files given and the database at `url`; nothing is connected until a method needs it. */
export async function createEngine({ url, shadowDatabaseUrl, schemaFiles }) {
  const { SchemaEngine } = await loadWasm();
  const datamodels = schemaFiles?.map((file) => [file, readFileSync(file, 'utf8')]);
  const factory = new EngineAdapterFactory(url, shadowDatabaseUrl);
  return SchemaEngine.new({ datamodels }, debug, bindMigrationAwareSqlAdapterFactory(factory));
}

function installedWasmFile() {
  return require.resolve('@prisma/schema-engine-wasm/schema_engine_bg').replace(/\.js$/, '.wasm');
}

async function loadWasm() {
  const bindings = await import('@prisma/schema-engine-wasm/schema_engine_bg');
  const bytes = readFileSync(installedWasmFile());
  const { instance } = await WebAssembly.instantiate(bytes, { './schema_engine_bg.js': bindings });
  bindings.__wbg_set_wasm(instance.exports);
  instance.exports.__wbindgen_start();
  return bindings;
}
