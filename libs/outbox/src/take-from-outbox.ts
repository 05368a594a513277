import { isSentJobName, JOBS, type JobDefinition, type JobPayload, type SentJobName } from '@farebox/jobs';
import type { Queryable } from './post-to-outbox';

/** A job on its way to the queue. */
export interface PostedJob<Name extends SentJobName = SentJobName> {
  /** Becomes the id of the job. */
  id: string;
  job: Name;
  /** As a handler of the job gets it. */
  payload: JobPayload<Name>;
}

export interface TakenFromOutbox {
  jobs: PostedJob[];
  /** Of rows that this version cannot read: a newer one wrote them. The caller rolls back and passes them over. */
  unreadableIds: string[];
}

const KNOWN_JOBS = Object.keys(JOBS).filter(isSentJobName);

interface OutboxRow {
  id: string;
  job: string;
  payload: unknown;
}

/**
 * Takes the oldest rows out, of jobs that this version knows, in the caller's transaction: they are there again if it
 * rolls back, and nobody else has them meanwhile.
 */
export async function takeFromOutbox(
  client: Queryable,
  { limit, passOverIds = [] }: { limit: number; passOverIds?: readonly string[] },
): Promise<TakenFromOutbox> {
  const { rows } = await client.query<OutboxRow>('SELECT id, job, payload FROM outbox_take($1, $2, $3)', [
    KNOWN_JOBS,
    passOverIds,
    limit,
  ]);
  const read = rows.map((row) => ({ id: row.id, posted: readRow(row) }));
  return {
    jobs: read.flatMap(({ posted }) => posted ?? []),
    unreadableIds: read.filter(({ posted }) => posted === undefined).map(({ id }) => id),
  };
}

function readRow({ id, job, payload }: OutboxRow): PostedJob | undefined {
  if (!isSentJobName(job)) return undefined;
  const definition: JobDefinition = JOBS[job];
  const result = definition.payload.safeParse(payload);
  return result.success ? { id, job, payload: result.data as JobPayload<SentJobName> } : undefined;
}
