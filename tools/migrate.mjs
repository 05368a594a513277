// `npm run migrate`: brings the database of DATABASE_URL to what this code needs. It is for the owner of the database:
// the services' own role may change no table, and so not BullMQ's either.
import { runPrisma } from './prisma-engine/run-prisma.mjs';
import { prepareQueue } from './set-up/queue-tables.mjs';

const exitCode = await runPrisma(['migrate', 'deploy']);
process.exitCode = exitCode === 0 ? await prepareQueue(process.env.DATABASE_URL) : exitCode;
