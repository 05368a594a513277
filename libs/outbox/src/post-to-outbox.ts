import { uuidV7 } from '@farebox/ids';
import { JOBS, type JobDefinition, type JobPayload, type SentJobName } from '@farebox/jobs';
import type { Pool } from 'pg';
import { z } from 'zod';

/** A client in a transaction, as a rule: what is posted happens if that commits, and not otherwise. */
export type Queryable = Pick<Pool, 'query'>;

/**
 * Posts a job in the caller's transaction. A worker hands it to the job queue once that has committed, at least once and
 * under the same id each time. Needs the rights of the database's owner: a service has a function for what it may post.
 */
export async function postToOutbox<Name extends SentJobName>(
  client: Queryable,
  job: Name,
  payload: JobPayload<Name>,
  id: string = uuidV7(),
): Promise<void> {
  const definition: JobDefinition = JOBS[job];
  const written = JSON.stringify(z.encode(definition.payload, payload));
  await client.query('INSERT INTO outbox (id, job, payload) VALUES ($1, $2, $3::jsonb)', [id, job, written]);
}
