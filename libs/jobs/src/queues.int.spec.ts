import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { createTestDatabase } from '@farebox/testing';
import { openQueue } from './job-backend';
import { QUEUE_NAMES } from './queues';

it('are those that "npm run migrate" prepares', () => {
  const file = path.join(__dirname, '../../../tools/set-up/queue-tables.mjs');
  const program = `import(${JSON.stringify(file)}).then(({ QUEUES }) => console.log(JSON.stringify(QUEUES)))`;
  const prepared: unknown = JSON.parse(execFileSync(process.execPath, ['-e', program], { encoding: 'utf8' }));
  expect(prepared).toEqual(QUEUE_NAMES);
});

it('take jobs without an id of their own from a service, in PostgreSQL too', async () => {
  const db = await createTestDatabase();
  for (const name of QUEUE_NAMES) {
    const queue = openQueue({ kind: 'postgres', url: db.serviceUrl }, name);
    expect((await queue.add('sweep-holds', {})).id).toMatch(/^\d+$/);
    await queue.close();
  }
  await db.drop();
});
