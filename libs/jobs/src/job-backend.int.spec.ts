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
  it('are there after "npm run migrate", of this version of BullMQ', async () => {
    await check();
  });

  it.each([
    ['are missing', 'DROP SCHEMA bullmq CASCADE'],
    ['are older than this BullMQ', 'DELETE FROM bullmq.migration WHERE version > 1'],
  ])('%s: the operator is told what to do', async (_name, sql) => {
    await db.pool.query(sql);
    await expect(check()).rejects.toThrow(QueueNotMigratedError);
    await expect(check()).rejects.toThrow('npm run migrate');
  });

  it('are of a newer BullMQ that this one cannot work with', async () => {
    await db.pool.query('UPDATE bullmq.migration SET min_client_version = 99 WHERE version = 1');
    await expect(check()).rejects.toThrow('99 or newer');
  });

  it('do not matter where the queue is kept in Redis', async () => {
    await db.pool.query('DROP SCHEMA bullmq CASCADE');
    await assertQueueMigrated({ kind: 'redis', url: testRedisUrl() });
  });

  it('are the owner’s: a service fills them and changes none of them', async () => {
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
