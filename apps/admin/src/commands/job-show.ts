import type { JobRecord } from '@farebox/jobs';
import type { Command } from 'commander';
import { readLine } from '../arguments';
import type { Program } from '../command-run';
import { toFields } from '../text-table';
import { atQueueAdmin, requireJob, type QueueKeeper } from '../use-cases/job-desk';
import { toJobReport } from './job-report';

export function addJobShowCommand(job: Command, { read, surroundings }: Program): void {
  job
    .command('show')
    .description('show one job with what was sent, and why it failed')
    .argument('<job>', 'its id', readLine)
    .addHelpText('after', '\nExample:\n  admin job show 01936e0a-0000-7000-8000-000000000000')
    .action(async (id: string) => {
      await read(() =>
        atQueueAdmin(surroundings.environment, async (admin, keeper) => {
          const found = await requireJob(admin, keeper, id);
          const json = { ...toJobReport(found), kept_in: keeper, payload: found.payload };
          return { json, text: toText(found, keeper) };
        }),
      );
    });
}

function toText(job: JobRecord, keeper: QueueKeeper): string {
  return toFields([
    ['job', `${job.job}, ${job.id}`],
    ['queue', `${job.queue}, in ${keeper}`],
    ['state', describeState(job)],
    ['sent', job.createdAt.toISOString()],
    ['tries', `${String(job.attempts)} of ${String(job.maxAttempts)}`],
    ['failure', job.failure ?? 'none'],
    ['payload', JSON.stringify(job.payload, null, 2)],
  ]);
}

function describeState({ state, nextTryAt, failedAt }: JobRecord): string {
  if (nextTryAt) return `${state} until ${nextTryAt.toISOString()}`;
  return failedAt ? `${state} on ${failedAt.toISOString()}: not tried again by itself` : state;
}
