import { runMigrations } from 'bullmq';

/** Where BullMQ keeps its queues: libs/jobs/src/job-backend.ts. */
const SCHEMA = 'bullmq';
/** The queues of libs/jobs/src/queues.ts. BullMQ makes a sequence for each one, which the services may not do. */
export const QUEUES = ['farebox', 'farebox-charges', 'farebox-mail'];
const SEQUENCES = `
  SELECT ${SCHEMA}.next_job_id(queue) FROM unnest($1::text[]) AS queue
  WHERE to_regclass('${SCHEMA}.' || ${SCHEMA}.job_id_seq_name(queue)) IS NULL`;

/** Gateways and workers put jobs in and take them out. The tables themselves are the owner's. */
const GRANTS = `
  GRANT USAGE ON SCHEMA ${SCHEMA} TO farebox_app, farebox_worker;
  GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${SCHEMA} TO farebox_app, farebox_worker;
  REVOKE INSERT, UPDATE, DELETE ON ${SCHEMA}.migration FROM farebox_app, farebox_worker;
  GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA ${SCHEMA} TO farebox_app, farebox_worker`;

/**
 * Brings the tables of the job queue, for where it is kept in PostgreSQL, to the installed version of BullMQ, and lets
 * the services use them. Does nothing if that was done before.
 */
export async function prepareQueue(session) {
  await session.withoutTransaction('The preparation of the job queue', async () => {
    await runMigrations(session.client, SCHEMA);
    await session.client.query(SEQUENCES, [QUEUES]);
    await session.client.query(GRANTS);
  });
}
