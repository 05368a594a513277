// Puts what the bundle reads at run time beside it: the migrations, the libraries' SQL, and Prisma's schema engine.
import { copyFileSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { readSqlFiles } from '../set-up/sql-files.mjs';
import { inRoot } from '../set-up/workspace.mjs';

const require = createRequire(import.meta.url);
const folder = inRoot('dist/migration');

rmSync(path.join(folder, 'migrations'), { recursive: true, force: true });
cpSync(inRoot('prisma/migrations'), path.join(folder, 'migrations'), { recursive: true });
rmSync(path.join(folder, 'libs'), { recursive: true, force: true });
for (const { name, sql } of readSqlFiles(inRoot('libs'))) {
  const [lib, file] = name.split('/');
  const copy = path.join(folder, 'libs', lib, 'postgres', file);
  mkdirSync(path.dirname(copy), { recursive: true });
  writeFileSync(copy, sql);
}
const engine = require.resolve('@prisma/schema-engine-wasm/schema_engine_bg').replace(/\.js$/, '.wasm');
copyFileSync(engine, path.join(folder, 'schema_engine.wasm'));
