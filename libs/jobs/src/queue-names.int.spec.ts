import { createTestDatabase } from '@farebox/testing';
import { openQueue } from './job-backend';
import { QUEUE_NAMES } from './job-table';

it('match those that "npm run migrate" prepares', async () => {
  const db = await createTestDatabase();
  const { rows } = await db.pool.query<{ prepared: string }>(
    `SELECT queue AS prepared FROM unnest($1::text[]) WITH ORDINALITY AS q(queue, position)
     WHERE to_regclass('bullmq.' || bullmq.job_id_seq_name(queue)) IS NOT NULL ORDER BY position`,
    [QUEUE_NAMES],
  );
  expect(rows.map(({ prepared }) => prepared)).toEqual(QUEUE_NAMES);
  const sequences = await db.pool.query(
    `SELECT FROM pg_sequences WHERE schemaname = 'bullmq' AND sequencename LIKE 'bullmq_jid_%'`,
  );
  expect(sequences.rowCount).toBe(QUEUE_NAMES.length);
  await db.drop();
});

it('accept jobs without an id of their own from a service, in PostgreSQL too', async () => {
  const db = await createTestDatabase();
  for (const name of QUEUE_NAMES) {
    const queue = openQueue({ kind: 'postgres', url: db.serviceUrl }, name);
    expect((await queue.add('sweep-holds', {})).id).toMatch(/^\d+$/);
    await queue.close();
  }
  await db.drop();
});
