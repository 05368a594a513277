import { toListPage, toUnixSeconds } from '@farebox/contracts';
import { toPublicId } from '@farebox/ids';
import type { Command } from 'commander';
import type { Pool } from 'pg';
import { readActionId, readLine, readTime } from '../arguments';
import { listActions, type RecordedAction } from '../audit/list-actions';
import type { Program, Report } from '../command-run';
import { addPageOptions, givenLimit } from '../list-options';
import { toListReport } from '../list-report';
import { nextCommand } from '../next-command';

interface GivenFilter {
  operator?: string;
  action?: string;
  target?: string;
  since?: Date;
  limit: number;
  after?: string;
}

export function addLogCommand(root: Command, { read }: Program): void {
  const command = root
    .command('log')
    .description('show what operators did, newest first: who, when, what, to what')
    .option('--operator <name>', 'by this one', readLine)
    .option('--action <words>', 'this command, or a group of them, like "account fund" or account', readLine)
    .option('--target <id>', 'done to this: the id or number of an account, a key, a review, …', readLine)
    .option('--since <time>', 'from this day or time on, like 2026-11-01', readTime);
  addPageOptions(command, { of: 'action', description: 'those before this one, op_…', read: readActionId })
    .addHelpText(
      'after',
      '\nExamples:\n  admin log\n  admin log --operator ada --since 2026-11-01\n' +
        '  admin log --action "account fund" --json',
    )
    .action((filter: GivenFilter) => read((pool) => list(pool, filter)));
}

async function list(pool: Pool, { limit, after, ...filter }: GivenFilter): Promise<Report> {
  const actions = await listActions(pool, { ...filter, afterId: after, limit: limit + 1 });
  const page = toListPage(actions.map(toReport), limit, (report) => report.action_id);
  const { since, ...texts } = filter;
  return toListReport(page, {
    columns: [
      { name: 'when' },
      { name: 'operator' },
      { name: 'action' },
      { name: 'target' },
      { name: 'details' },
    ],
    toRow: (one) => [
      new Date(one.at * 1_000).toISOString(),
      one.operator,
      one.outcome === 'done' ? one.action : `${one.action} (${one.outcome})`,
      one.target ?? '',
      describeDetails(one.details),
    ],
    none: 'Nothing of the kind was done.',
    next: (lastId) =>
      nextCommand('log', { ...texts, since: since?.toISOString(), limit: givenLimit(limit) }, lastId),
  });
}

function toReport({ id, at, ...action }: RecordedAction) {
  return { action_id: toPublicId('op', id), at: toUnixSeconds(at), ...action };
}

function describeDetails(details: RecordedAction['details']): string {
  return Object.entries(details)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(' ');
}
