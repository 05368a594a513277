import { createTestDatabase, testRedisUrl, type TestDatabase } from '@farebox/testing';
import { assertQueueMigrated, QueueNotMigratedError } from './job-backend';

let db: TestDatabase;
beforeEach(async () => {
  db = await createTestDatabase();
});
afterEach(async () => {
  await db.drop();
});

const check = (): Promise<void> => assertQueueMigrated({ kind: 'postgres', url: db.serviceUrl });

describe('the tables of the queue', () => {
  it('are created by "npm run migrate" for this version of BullMQ', async () => {
    await check();
  });

  it.each([
    ['are missing', 'DROP SCHEMA bullmq CASCADE'],
    ['are older than this BullMQ', 'DELETE FROM bullmq.migration WHERE version > 1'],
  ])('%s: the error has the remedy', async (_name, sql) => {
    await db.pool.query(sql);
    await expect(check()).rejects.toThrow(QueueNotMigratedError);
    await expect(check()).rejects.toThrow('npm run migrate');
  });

  it('may belong to a newer BullMQ that is incompatible with this one', async () => {
    await db.pool.query('UPDATE bullmq.migration SET min_client_version = 99 WHERE version = 1');
    await expect(check()).rejects.toThrow('99 or newer');
  });

  it('are not needed if the queue is kept in Redis', async () => {
    await db.pool.query('DROP SCHEMA bullmq CASCADE');
    await assertQueueMigrated({ kind: 'redis', url: testRedisUrl() });
  });

  it('belong to the owner: a service fills them but cannot alter them', async () => {
    await db.servicePool.query('DELETE FROM bullmq.job');
    for (const sql of [
      'CREATE TABLE bullmq.mine (id int)',
      'ALTER TABLE bullmq.job ADD COLUMN mine int',
      'DROP FUNCTION bullmq.next_job_id',
      'TRUNCATE bullmq.job',
      'UPDATE bullmq.migration SET version = 99',
    ]) {
      await expect(db.servicePool.query(sql)).rejects.toMatchObject({ code: '42501' });
    }
  });
});
