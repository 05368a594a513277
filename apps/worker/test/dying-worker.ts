import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { JobBackend } from '@farebox/jobs';

const PROGRAM = `
const { createPostgresBackend, withBackend, Worker } = require('bullmq');
const { Client } = require('pg');
const [kind, url, databaseUrl] = process.argv.slice(1);
const take = async ({ data }) => {
  const claim = new Client({ connectionString: databaseUrl });
  await claim.connect();
  await claim.query('BEGIN');
  await claim.query('SELECT FROM mail WHERE id = $1 AND ended_at IS NULL FOR UPDATE', [data.mailId]);
  process.stdout.write('taken');
  return new Promise(() => undefined);
};
const options = { lockDuration: 500, stalledInterval: 500 };
if (kind === 'redis') new Worker('farebox-mail', take, { ...options, connection: { url, maxRetriesPerRequest: null } });
else new (withBackend(createPostgresBackend).Worker)('farebox-mail', take, { ...options, connection: { connectionString: url, schema: 'bullmq' } });
`;

/** Resolves when a worker has taken a mail's job, claimed the mail, and was killed (-9) before sending it. */
export async function claimMailAndDie(backend: JobBackend, databaseUrl: string): Promise<void> {
  const args = ['-e', PROGRAM, backend.kind, backend.url, databaseUrl];
  const worker = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(worker.stdout, 'data');
  const ended = once(worker, 'exit');
  worker.kill('SIGKILL');
  await ended;
}
