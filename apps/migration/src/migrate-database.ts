import { createDatabase, ensureConnectionValidity } from '../prisma-engine/database-commands.mjs';
import { openOwnerSession } from './owner-session.mjs';
import { prepareQueue } from './queue-tables.mjs';
import { applyMigrations, readMigrations } from './schema-migrations.mjs';
import { installSqlFiles, readSqlFiles } from './sql-files.mjs';

/** Prisma's code of a database that does not exist. */
const NO_SUCH_DATABASE = 'P1003';
/** PostgreSQL's of one that does. */
const DATABASE_IS_THERE = '42P04';

/**
 * Brings a database, as its owner, to what this code needs, while services use it: makes it if it does not exist, then
 * the migrations of one folder, then the libraries' SQL functions of another, then the job queue's tables. With `until`,
 * the migrations up to that one and nothing else. Two at once follow each other; one that was cut off is repeated.
 */
export async function migrateDatabase({ databaseUrl, migrationsFolder, libsFolder, until }) {
  await ensureDatabase(databaseUrl);
  const session = await openOwnerSession(databaseUrl);
  try {
    const applied = await applyMigrations(session, readMigrations(migrationsFolder), until);
    console.log(applied.length === 0 ? 'No migration was missing.' : `Applied ${applied.join(', ')}.`);
    if (until !== undefined) return;
    const installed = await installSqlFiles(session, readSqlFiles(libsFolder));
    if (installed.length > 0) console.log(`Installed the SQL of ${installed.join(', ')}.`);
    await prepareQueue(session);
  } finally {
    await session.close();
  }
}

async function ensureDatabase(url) {
  try {
    await ensureConnectionValidity(url);
  } catch (error) {
    if (error.code !== NO_SUCH_DATABASE) throw error;
    await createDatabase(url).catch((failure) => {
      // Another one that runs at the same time was first.
      if (failure.code !== DATABASE_IS_THERE) throw failure;
    });
  }
}
