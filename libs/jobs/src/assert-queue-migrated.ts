import { assertSchemaCompatibility, LATEST_SCHEMA_VERSION, SchemaMigrationRequiredError } from 'bullmq';
import { Client } from 'pg';
import { POSTGRES_SCHEMA, type JobBackend } from './job-backend';

/** The tables of the queue are not as this code needs them. The message is one sentence for an operator. */
export class QueueNotMigratedError extends Error {
  constructor() {
    super(
      'The tables of the job queue are missing or older than this code: prepare them with "npm run migrate".',
    );
    this.name = 'QueueNotMigratedError';
  }
}

const CONNECT_BOUND_MS = 5_000;

/**
 * Throws `QueueNotMigratedError` where the queue is kept in PostgreSQL and its tables are not those of this BullMQ. A
 * service may not make or change them: that is for the owner of the database.
 */
export async function assertQueueMigrated(backend: JobBackend): Promise<void> {
  if (backend.kind === 'redis') return;
  const client = new Client({ connectionString: backend.url, connectionTimeoutMillis: CONNECT_BOUND_MS });
  client.on('error', () => undefined); // the query under way tells it
  await client.connect();
  try {
    const version = await assertSchemaCompatibility(client, POSTGRES_SCHEMA);
    if (version < LATEST_SCHEMA_VERSION) throw new QueueNotMigratedError();
  } catch (error) {
    throw error instanceof SchemaMigrationRequiredError ? new QueueNotMigratedError() : error;
  } finally {
    await client.end();
  }
}
