import type { Accounts } from '@farebox/accounts';
import { toListPage } from '@farebox/contracts';
import { toPublicId } from '@farebox/ids';
import {
  listReviews,
  REVIEW_REASONS,
  type Review,
  type ReviewReason,
  type ReviewState,
} from '@farebox/ledger';
import { Option, type Command } from 'commander';
import type { Pool } from 'pg';
import { readAccountId, readReviewId } from '../arguments';
import type { Program, Report } from '../command-run';
import { addPageOptions, givenLimit } from '../list-options';
import { toListReport } from '../list-report';
import { nextCommand } from '../next-command';
import type { Column } from '../text-table';
import { requireAccountId } from '../use-cases/accounts';
import { toReviewReport, type ReviewReport } from './review-report';

const STATES = ['open', 'charged', 'waived', 'all'] as const satisfies readonly (ReviewState | 'all')[];
const COLUMNS: readonly Column[] = [
  ...[{ name: 'review' }, { name: 'when' }, { name: 'account' }, { name: 'reason' }],
  { name: 'reserved', align: 'right' },
  ...[{ name: 'state' }, { name: 'proposed' }],
];

interface GivenFilter {
  state: ReviewState | 'all';
  reason?: ReviewReason;
  account?: string;
  limit: number;
  after?: string;
}

export function addReviewListCommand(review: Command, { read }: Program): void {
  const command = review
    .command('list')
    .description('list reviews, newest first')
    .addOption(new Option('--state <state>', 'those in this state').choices(STATES).default('open'))
    .addOption(new Option('--reason <reason>', 'those with this reason').choices(REVIEW_REASONS))
    .option('--account <account>', 'those of this account, acct_…', readAccountId);
  addPageOptions(command, { of: 'review', description: 'those after this one, rev_…', read: readReviewId })
    .addHelpText(
      'after',
      '\nExamples:\n  admin review list\n  admin review list --state all --account acct_01jd0000000000000000000000',
    )
    .action((filter: GivenFilter) => read((pool, accounts) => list(pool, accounts, filter)));
}

async function list(pool: Pool, accounts: Accounts, filter: GivenFilter): Promise<Report> {
  const { state, reason, account, limit, after } = filter;
  if (account !== undefined) await requireAccountId(account, accounts);
  const reviews: Review[] = await listReviews(pool, {
    limit: limit + 1,
    afterId: after,
    accountId: account,
    reason,
    state: state === 'all' ? undefined : state,
  });
  const page = toListPage(reviews.map(toReviewReport), limit, (report) => report.review_id);
  return toListReport(page, {
    columns: COLUMNS,
    toRow,
    none: noReviews(state),
    next: (lastId) => nextCommand('review list', toOptions(filter), lastId),
  });
}

function toRow(report: ReviewReport): string[] {
  return [
    ...[report.review_id, new Date(report.created_at * 1_000).toISOString(), report.account_id],
    ...[report.reason, report.reserved, report.state, report.proposed_resolution ?? ''],
  ];
}

/** Those that are not the default. */
function toOptions({ state, reason, account, limit }: GivenFilter) {
  return {
    state: state === 'open' ? undefined : state,
    reason,
    account: account === undefined ? undefined : toPublicId('acct', account),
    limit: givenLimit(limit),
  };
}

function noReviews(state: GivenFilter['state']): string {
  return state === 'all' ? 'There are no reviews.' : `There are no ${state} reviews.`;
}
