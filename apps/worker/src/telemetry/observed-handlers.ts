import { JOBS, type JobHandlers, type JobName } from '@farebox/jobs';
import type { Telemetry } from '@farebox/observability';

/** The same handlers, each run of which is measured and traced. */
export function observedHandlers(handlers: JobHandlers, telemetry: Telemetry): JobHandlers {
  const observed = Object.entries(handlers).map(([name, handle]) => [
    name,
    observe(name as JobName, handle as Handle, telemetry),
  ]);
  return Object.fromEntries(observed) as JobHandlers;
}

type Handle = (payload: unknown, delivery: { id: string }) => Promise<void>;

function observe(job: JobName, handle: Handle, { metrics, tracer }: Telemetry): Handle {
  const done = metrics.histogram('farebox_job_duration_seconds', job, 'done');
  const failed = metrics.histogram('farebox_job_duration_seconds', job, 'failed');
  const { queue } = JOBS[job];
  return async (payload, delivery) => {
    const span = tracer.start(`job ${job}`, 'consumer', {
      'farebox.job': job,
      'farebox.queue': queue,
      'farebox.job_id': delivery.id,
    });
    const startedMs = performance.now();
    try {
      await handle(payload, delivery);
      done.observe((performance.now() - startedMs) / 1_000);
      span.end();
    } catch (error) {
      failed.observe((performance.now() - startedMs) / 1_000);
      span.end('job_failed');
      throw error;
    }
  };
}
