import { toUnixSeconds } from '@farebox/api';
import type { JobRecord, QueueAdmin } from '@farebox/jobs';
import { QUEUE_NAMES, type QueueName } from '@farebox/jobs/table';
import { Option, type Command } from 'commander';
import { readLimit, readLine } from './arguments';
import { CommandFailure, NotFoundFailure } from './failures';
import type { Verbs } from './verb';
import type { QueueKeeper } from './job-queues';
import type { Report } from './report';
import { countOf, DEFAULT_LIMIT, toFields, toTable, type Column, toIso } from './lists';

/** BullMQ loads slowly: other commands do without it. */
const jobQueues = () => import('./job-queues');

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

export const jobCommands: Verbs = {
  'job list': {
    help: 'list unfinished jobs, newest first',
    takes: (command) =>
      command
        .option('--failed', 'only failed jobs, which are not retried automatically')
        .addOption(new Option('--queue <queue>', 'only those in this queue').choices(QUEUE_NAMES))
        .option('--limit <count>', 'at most this many, up to 1000', readLimit, DEFAULT_LIMIT),
    examples: ['admin job list --failed', 'admin job list --queue farebox-charges --limit 1000'],
    run:
      ({ read, environment }) =>
      async ({ failed, queue, limit }: GivenFilter) => {
        await read(async () =>
          (await jobQueues()).atQueueAdmin(environment, async (admin, keeper) => {
            const records = await admin.list({ queue, failedOnly: failed === true, limit: limit + 1 });
            return toReport(records.slice(0, limit).map(toJobReport), keeper, records.length > limit);
          }),
        );
      },
  },
  'job show': {
    help: 'show one job with its payload and its error',
    takes: (command) => command.argument('<job>', 'its id', readLine),
    examples: ['admin job show 01936e0a-0000-7000-8000-000000000000'],
    run:
      ({ read, environment }) =>
      async (id: string) => {
        await read(async () =>
          (await jobQueues()).atQueueAdmin(environment, async (admin, keeper) => {
            const found = await requireJob(admin, keeper, id);
            const json = { ...toJobReport(found), kept_in: keeper, payload: found.payload };
            return { json, text: toText(found, keeper) };
          }),
        );
      },
  },
  'job retry': {
    help: 'have the worker retry a failed job, or all of them, with all of their attempts',
    takes: (command) => command.argument('[job]', 'its id', readLine).option('--all', 'all failed jobs'),
    examples: ['admin job retry 01936e0a-0000-7000-8000-000000000000', 'admin job retry --all'],
    run:
      ({ attempt, look, environment }, command: Command) =>
      async (id: string | undefined, { all }: { all?: true }) => {
        if ((id === undefined) === (all === undefined))
          command.error('error: give the id of a job, or --all');
        const { atQueueAdmin } = await jobQueues();
        const isIdle = await atQueueAdmin(environment, (admin, keeper) =>
          hasNothingToRetry(admin, keeper, id),
        );
        if (isIdle) await look(() => Promise.resolve(NOTHING_RETRIED));
        else
          await attempt({ target: id ?? null }, () =>
            atQueueAdmin(environment, (admin, keeper) =>
              id === undefined ? retryAll(admin) : retryOne(admin, keeper, id),
            ),
          );
      },
  },
  'job discard': {
    help: 'discard a failed job; its work is not done',
    takes: (command) =>
      command.argument('<job>', 'its id', readLine).option('--yes', 'do not ask for confirmation'),
    examples: ['admin job discard 01936e0a-0000-7000-8000-000000000000'],
    run:
      ({ attempt, confirm, environment }) =>
      async (id: string, { yes }: { yes?: true }) => {
        const { atQueueAdmin } = await jobQueues();
        await atQueueAdmin(environment, (admin, keeper) => requireFailed(admin, keeper, id));
        await confirm(`Discard the job ${id}.`, yes);
        await attempt({ target: id }, () =>
          atQueueAdmin(environment, async (admin, keeper) => {
            const found = await requireJob(admin, keeper, id);
            if ((await admin.discard(found)) !== 'discarded') throw notFailed(found);
            return { json: toJobReport(found), text: `The job ${id} (${found.job}) is gone.` };
          }),
        );
      },
  },
};

function toReport(jobs: readonly JobReport[], keeper: QueueKeeper, hasMore: boolean): Report {
  const json = { object: 'list', kept_in: keeper, data: jobs, has_more: hasMore };
  if (jobs.length === 0) return { json, text: `There are no such jobs. The queues are in ${keeper}.` };
  const lines = [toTable(COLUMNS, jobs.map(toRow))];
  if (hasMore) lines.push('There are more: raise --limit, or name a --queue.');
  return { json, text: lines.join('\n') };
}

function toRow(job: JobReport): string[] {
  return [
    ...[job.job_id, toIso(job.created_at), job.job, job.queue, job.state],
    ...[`${String(job.attempts)}/${String(job.max_attempts)}`, shortFailure(job.failure)],
  ];
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
  return failedAt ? `${state} on ${failedAt.toISOString()}: not retried automatically` : state;
}

async function retryOne(admin: QueueAdmin, keeper: QueueKeeper, id: string): Promise<Report> {
  const found = await requireJob(admin, keeper, id);
  if ((await admin.retry(found)) !== 'retried') throw notFailed(found);
  return {
    json: { job_id: id, job: found.job, queue: found.queue, retried: 1 },
    text: `The job ${id} (${found.job}) will be tried again by the worker.`,
  };
}

/**
 * Before the audit log notes an attempt: whether all failed jobs are to be retried and there is none. Throws
 * `CommandFailure` if the given one has not failed.
 */
async function hasNothingToRetry(
  admin: QueueAdmin,
  keeper: QueueKeeper,
  id: string | undefined,
): Promise<boolean> {
  if (id === undefined) return (await admin.list({ failedOnly: true, limit: 1 })).length === 0;
  await requireFailed(admin, keeper, id);
  return false;
}

const NOTHING_RETRIED: Report = { json: { retried: 0 }, text: 'There is no failed job.' };

const notFailed = ({ id, state }: JobRecord): CommandFailure =>
  new CommandFailure(`The job ${id} has not failed: it is ${state}.`);

const PAGE = 500;

/** Only those that failed before it began, so that it ends. */
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
  if (retried === 0) return NOTHING_RETRIED;
  return { json: { retried }, text: `${countOf(retried, 'job')} will be tried again by the worker.` };
}

type JobReport = ReturnType<typeof toJobReport>;

/** A job as a script sees it. `failed`: it is not retried automatically. */
function toJobReport(record: JobRecord) {
  return {
    job_id: record.id,
    job: record.job,
    queue: record.queue,
    state: record.state,
    attempts: record.attempts,
    max_attempts: record.maxAttempts,
    failure: record.failure,
    created_at: toUnixSeconds(record.createdAt),
    next_try_at: record.nextTryAt === null ? null : toUnixSeconds(record.nextTryAt),
    failed_at: record.failedAt === null ? null : toUnixSeconds(record.failedAt),
  };
}

const LONGEST_FAILURE = 120;

/** The first line of the error, for a table. */
function shortFailure(failure: string | null): string {
  const line = failure?.split('\n')[0] ?? '';
  return line.length > LONGEST_FAILURE ? `${line.slice(0, LONGEST_FAILURE)}…` : line;
}

/** Throws `CommandFailure` if there is no such job. */
async function requireJob(admin: QueueAdmin, keeper: QueueKeeper, id: string): Promise<JobRecord> {
  const job = await admin.find(id);
  if (!job) throw new NotFoundFailure(`There is no job ${id} in the queues in ${keeper}.`);
  return job;
}

/** Throws `CommandFailure` if there is no such job, or if it has not failed. */
async function requireFailed(admin: QueueAdmin, keeper: QueueKeeper, id: string): Promise<void> {
  const job = await requireJob(admin, keeper, id);
  if (job.state !== 'failed') throw notFailed(job);
}
