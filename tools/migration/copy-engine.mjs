// Puts what the bundle reads at run time beside it: the migrations, and Prisma's schema engine.
import { copyFileSync, cpSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { inRoot } from '../set-up/workspace.mjs';

const require = createRequire(import.meta.url);
const folder = inRoot('dist/migration');

rmSync(path.join(folder, 'migrations'), { recursive: true, force: true });
cpSync(inRoot('prisma/migrations'), path.join(folder, 'migrations'), { recursive: true });
const engine = require.resolve('@prisma/schema-engine-wasm/schema_engine_bg').replace(/\.js$/, '.wasm');
copyFileSync(engine, path.join(folder, 'schema_engine.wasm'));
