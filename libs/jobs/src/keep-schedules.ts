import { setTimeout as sleep } from 'node:timers/promises';
import type { JobQueue } from './job-backend';
import { jobOptions, JOBS, type JobDefinition } from './job-table';
import type { QueueName } from './queues';

export interface KeptSchedules {
  /** Looks no more. */
  stop(): void;
}

export interface KeepSchedulesOptions {
  checkEveryMs: number;
  onError: (error: unknown) => void;
}

/**
 * Sees that the periodic jobs of a queue come, and that no others do: now, and again and again, since a Redis that was
 * emptied knows of none. Throws where the backend cannot be asked now.
 */
export async function keepSchedules(
  queue: JobQueue,
  name: QueueName,
  { checkEveryMs, onError }: KeepSchedulesOptions,
): Promise<KeptSchedules> {
  const stopped = new AbortController();
  await scheduleAnew(queue, name);
  void (async () => {
    while (await hasPassed(checkEveryMs, stopped.signal)) {
      try {
        await scheduleMissing(queue, name);
      } catch (error) {
        if (!stopped.signal.aborted) onError(error);
      }
    }
  })();
  return {
    stop: () => {
      stopped.abort();
    },
  };
}

/** As this version has them: another one may have left others. */
async function scheduleAnew(queue: JobQueue, queueName: QueueName): Promise<void> {
  const periodic = periodicJobsOf(queueName);
  for (const key of await readScheduled(queue)) {
    if (!periodic.some(({ name }) => name === key)) await queue.removeJobScheduler(key);
  }
  for (const job of periodic) await schedule(queue, job);
}

/** Those that are there are left alone: their next time stands. */
async function scheduleMissing(queue: JobQueue, queueName: QueueName): Promise<void> {
  const scheduled = await readScheduled(queue);
  for (const job of periodicJobsOf(queueName)) if (!scheduled.includes(job.name)) await schedule(queue, job);
}

interface PeriodicJob {
  name: string;
  definition: JobDefinition;
  everyMs: number;
}

function periodicJobsOf(queueName: QueueName): PeriodicJob[] {
  return Object.entries<JobDefinition>(JOBS).flatMap(([name, definition]) =>
    definition.queue === queueName && definition.everyMs !== undefined
      ? [{ name, definition, everyMs: definition.everyMs }]
      : [],
  );
}

async function readScheduled(queue: JobQueue): Promise<string[]> {
  return (await queue.getJobSchedulers()).map(({ key }) => key);
}

async function schedule(queue: JobQueue, { name, definition, everyMs }: PeriodicJob): Promise<void> {
  const template = { name, data: {}, opts: jobOptions(definition) };
  await queue.upsertJobScheduler(name, { every: everyMs }, template);
}

async function hasPassed(pauseMs: number, stopped: AbortSignal): Promise<boolean> {
  try {
    await sleep(pauseMs, undefined, { signal: stopped });
    return true;
  } catch {
    return false;
  }
}
