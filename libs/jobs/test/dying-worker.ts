import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { POSTGRES_SCHEMA, type JobBackend } from '../src/job-backend';
import type { QueueName } from '../src/job-table';

/** How a worker killed in the middle of a job looks to others: it holds the job and goes silent. */
const PROGRAM = `
const { createPostgresBackend, withBackend, Worker } = require('bullmq');
const [kind, url, schema, queue] = process.argv.slice(1);
const take = () => { process.stdout.write('taken'); return new Promise(() => undefined); };
const options = { lockDuration: 500, stalledInterval: 500 };
if (kind === 'redis') new Worker(queue, take, { ...options, connection: { url, maxRetriesPerRequest: null } });
else new (withBackend(createPostgresBackend).Worker)(queue, take, { ...options, connection: { connectionString: url, schema } });
`;

/** Resolves when a process has taken a job of the queue and was killed (-9) with it. */
export async function takeJobAndDie(backend: JobBackend, queue: QueueName): Promise<void> {
  const worker = spawn(process.execPath, ['-e', PROGRAM, backend.kind, backend.url, POSTGRES_SCHEMA, queue], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(worker.stdout, 'data');
  const ended = once(worker, 'exit');
  worker.kill('SIGKILL');
  await ended;
}
