import { deployMigrations } from '../prisma-engine/deploy-migrations.mjs';
import { prepareQueue } from './queue-tables.mjs';
import { installSqlFiles, readSqlFiles } from './sql-files.mjs';
import { inRoot } from './workspace.mjs';

/**
 * Brings a database, as its owner, to what this checkout needs: Prisma's migrations, then the libraries' SQL functions,
 * then the job queue's tables.
 * Resolves to the exit code.
 */
export async function migrateDatabase(databaseUrl) {
  if (!databaseUrl) {
    console.error('DATABASE_URL is required but not set.');
    return 1;
  }
  try {
    const applied = await deployMigrations({ url: databaseUrl, folder: inRoot('prisma/migrations') });
    console.log(applied.length === 0 ? 'No migration was missing.' : `Applied ${applied.join(', ')}.`);
    const installed = await installSqlFiles(databaseUrl, readSqlFiles(inRoot('libs')));
    if (installed.length > 0) console.log(`Installed the SQL of ${installed.join(', ')}.`);
  } catch (error) {
    console.error(`The migration failed: ${error.message}`);
    return 1;
  }
  return prepareQueue(databaseUrl);
}
