import { runMigrations } from 'bullmq';
import pg from 'pg';

/** Where BullMQ keeps its queues: libs/jobs/src/job-backend.ts. */
const SCHEMA = 'bullmq';
/** The queues of libs/jobs/src/queues.ts. BullMQ makes a sequence for each one, which the services may not do. */
export const QUEUES = ['farebox', 'farebox-charges', 'farebox-mail'];
const SEQUENCES = `
  SELECT ${SCHEMA}.next_job_id(queue) FROM unnest($1::text[]) AS queue
  WHERE to_regclass('${SCHEMA}.' || ${SCHEMA}.job_id_seq_name(queue)) IS NULL`;

/** The services put jobs in and take them out. The tables themselves are the owner's. */
const GRANTS = `
  GRANT USAGE ON SCHEMA ${SCHEMA} TO farebox_app;
  GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${SCHEMA} TO farebox_app;
  REVOKE INSERT, UPDATE, DELETE ON ${SCHEMA}.migration FROM farebox_app;
  GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA ${SCHEMA} TO farebox_app`;

/**
 * Brings the tables of the job queue, for where it is kept in PostgreSQL, to the installed version of BullMQ, and lets
 * the services use them. Does nothing where that was done before. Resolves to the exit code.
 */
export async function prepareQueue(databaseUrl) {
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on('error', () => undefined); // the query under way tells it
  try {
    await client.connect();
    // Of two that run at once, the second finds everything done. The lock ends with the connection.
    await client.query(`SELECT pg_advisory_lock(hashtext('farebox job queue'))`);
    await runMigrations(client, SCHEMA);
    await client.query(SEQUENCES, [QUEUES]);
    await client.query(GRANTS);
    return 0;
  } catch (error) {
    console.error(`The tables of the job queue could not be prepared: ${error.message}`);
    return 1;
  } finally {
    await client.end().catch(() => undefined);
  }
}
