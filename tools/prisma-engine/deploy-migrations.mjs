import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createDatabase, ensureConnectionValidity } from './database-commands.mjs';
import { createEngine } from './wasm-engine.mjs';

/** Prisma's code of a database that does not exist. */
const NO_SUCH_DATABASE = 'P1003';

/**
 * Does what `prisma migrate deploy` does, on the same engine and without the Prisma CLI, so that it can be bundled:
 * makes the database where there is none, and applies the migrations of `folder` that it has not had yet. Resolves to
 * their names. `wasmFile` is as in `createEngine`. Throws an error with the engine's own words.
 */
export async function deployMigrations({ url, folder, wasmFile }) {
  await ensureDatabase(url);
  const engine = await createEngine({ url, wasmFile });
  const { appliedMigrationNames } = await engine.applyMigrations({
    migrationsList: readMigrations(folder),
    filters: { externalTables: [], externalEnums: [] },
  });
  return appliedMigrationNames;
}

async function ensureDatabase(url) {
  try {
    await ensureConnectionValidity(url);
  } catch (error) {
    if (error.code !== NO_SUCH_DATABASE) throw error;
    await createDatabase(url);
  }
}

/** The folder of migrations as the engine is told of it. */
function readMigrations(folder) {
  const lockFile = path.join(folder, 'migration_lock.toml');
  const names = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
  return {
    baseDir: folder,
    lockfile: {
      path: 'migration_lock.toml',
      content: existsSync(lockFile) ? readFileSync(lockFile, 'utf8') : null,
    },
    shadowDbInitScript: '',
    migrationDirectories: names.map((name) => ({ path: name, migrationFile: readMigration(folder, name) })),
  };
}

function readMigration(folder, name) {
  const file = path.join(folder, name, 'migration.sql');
  return { path: 'migration.sql', content: { tag: 'ok', value: readFileSync(file, 'utf8') } };
}
