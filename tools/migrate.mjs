// `npm run migrate`: brings the database of DATABASE_URL to what this code needs. It is for the owner of the database:
// the services' own role may change no table, and so not BullMQ's either.
// `-- --until <migration>` stops after that one: for tests of the way from one version to the next.
import { parseArgs } from 'node:util';
import { migrateDatabase } from './set-up/migrate-database.mjs';
import { inRoot } from './set-up/workspace.mjs';

const { values } = parseArgs({ options: { until: { type: 'string' } } });
const databaseUrl = process.env.DATABASE_URL;
try {
  if (!databaseUrl) throw new Error('DATABASE_URL is required but not set.');
  await migrateDatabase({
    databaseUrl,
    migrationsFolder: inRoot('prisma/migrations'),
    libsFolder: inRoot('libs'),
    until: values.until,
  });
} catch (error) {
  console.error(databaseUrl ? `The migration failed: ${error.message}` : error.message);
  process.exitCode = 1;
}
