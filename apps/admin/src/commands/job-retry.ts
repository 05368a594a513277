import type { QueueAdmin } from '@farebox/jobs';
import type { Command } from 'commander';
import { readLine } from '../arguments';
import { CommandFailure } from '../command-failure';
import type { Program, Report } from '../command-run';
import { atQueueAdmin, requireJob, type QueueKeeper } from '../use-cases/job-desk';

export function addJobRetryCommand(job: Command, { attempt, surroundings }: Program): void {
  const command = job
    .command('retry')
    .description('have a failed job, or all of them, done again by the worker, with all of its attempts')
    .argument('[job]', 'its id', readLine)
    .option('--all', 'all failed jobs')
    .addHelpText(
      'after',
      '\nExamples:\n  admin job retry 01936e0a-0000-7000-8000-000000000000\n  admin job retry --all',
    );
  command.action(async (id: string | undefined, { all }: { all?: true }) => {
    if ((id === undefined) === (all === undefined)) command.error('error: give the id of a job, or --all');
    await attempt({ action: 'job retry', target: id ?? null }, () =>
      atQueueAdmin(surroundings.environment, (admin, keeper) =>
        id === undefined ? retryAll(admin) : retryOne(admin, keeper, id),
      ),
    );
  });
}

async function retryOne(admin: QueueAdmin, keeper: QueueKeeper, id: string): Promise<Report> {
  const found = await requireJob(admin, keeper, id);
  if ((await admin.retry(found)) !== 'retried')
    throw new CommandFailure(`The job ${id} has not failed: it is ${found.state}.`);
  return {
    json: { job_id: id, job: found.job, queue: found.queue, retried: 1 },
    text: `The job ${id} (${found.job}) waits for the worker again.`,
  };
}

const PAGE = 500;

/** Those that failed before it began, so that it comes to an end. */
async function retryAll(admin: QueueAdmin): Promise<Report> {
  const begunAtMs = Date.now();
  let retried = 0;
  for (;;) {
    const failed = await admin.list({ failedOnly: true, limit: PAGE });
    const old = failed.filter(({ failedAt }) => (failedAt?.getTime() ?? 0) <= begunAtMs);
    const answers = await Promise.all(old.map((job) => admin.retry(job)));
    const count = answers.filter((answer) => answer === 'retried').length;
    retried += count;
    if (count === 0) break;
  }
  const text =
    retried === 0 ? 'There is no failed job.' : `${String(retried)} jobs wait for the worker again.`;
  return { json: { retried }, text };
}
