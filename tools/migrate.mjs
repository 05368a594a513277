// `npm run migrate`: brings the database of DATABASE_URL to what this code needs. It is for the owner of the database:
// the services' own role may change no table, and so not BullMQ's either.
import { migrateDatabase } from './set-up/migrate-database.mjs';

const exitCode = await migrateDatabase(process.env.DATABASE_URL);
// Not left to end by itself: the engine keeps a timer.
process.exit(exitCode);
