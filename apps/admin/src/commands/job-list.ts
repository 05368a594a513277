import { QUEUE_NAMES, type QueueName } from '@farebox/jobs';
import { Option, type Command } from 'commander';
import { readLimit } from '../arguments';
import type { Program, Report } from '../command-run';
import { DEFAULT_LIMIT } from '../list-options';
import { toTable, type Column } from '../text-table';
import { atQueueAdmin, type QueueKeeper } from '../use-cases/job-desk';
import { shortFailure, toJobReport, type JobReport } from './job-report';

const COLUMNS: readonly Column[] = [
  ...[{ name: 'job id' }, { name: 'when' }, { name: 'job' }, { name: 'queue' }, { name: 'state' }],
  { name: 'tries', align: 'right' },
  { name: 'failure' },
];

interface GivenFilter {
  failed?: true;
  queue?: QueueName;
  limit: number;
}

export function addJobListCommand(job: Command, { read, surroundings }: Program): void {
  job
    .command('list')
    .description('list jobs that are not done, newest first')
    .option('--failed', 'those alone that are not tried again by themselves')
    .addOption(new Option('--queue <queue>', 'those of this queue').choices(QUEUE_NAMES))
    .option('--limit <count>', 'at most this many, up to 1000', readLimit, DEFAULT_LIMIT)
    .addHelpText(
      'after',
      '\nExamples:\n  admin job list --failed\n  admin job list --queue farebox-charges --limit 1000',
    )
    .action(async ({ failed, queue, limit }: GivenFilter) => {
      await read(() =>
        atQueueAdmin(surroundings.environment, async (admin, keeper) => {
          const records = await admin.list({ queue, failedOnly: failed === true, limit: limit + 1 });
          return toReport(records.slice(0, limit).map(toJobReport), keeper, records.length > limit);
        }),
      );
    });
}

function toReport(jobs: readonly JobReport[], keeper: QueueKeeper, hasMore: boolean): Report {
  const json = { object: 'list', kept_in: keeper, data: jobs, has_more: hasMore };
  if (jobs.length === 0) return { json, text: `There is no such job in the queues in ${keeper}.` };
  const lines = [toTable(COLUMNS, jobs.map(toRow))];
  if (hasMore) lines.push('There are more: raise --limit, or name a --queue.');
  return { json, text: lines.join('\n') };
}

function toRow(job: JobReport): string[] {
  return [
    ...[job.job_id, new Date(job.created_at * 1_000).toISOString(), job.job, job.queue, job.state],
    ...[`${String(job.attempts)}/${String(job.max_attempts)}`, shortFailure(job.failure)],
  ];
}
