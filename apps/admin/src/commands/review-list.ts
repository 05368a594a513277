import { toListPage } from '@farebox/contracts';
import { createPrismaClient } from '@farebox/database';
import { toPublicId } from '@farebox/ids';
import { listReviews, type Review, type ReviewState } from '@farebox/ledger';
import { Option, type Command } from 'commander';
import type { Pool } from 'pg';
import { readAccountId, readLimit, readReviewId } from '../arguments';
import type { Program, Report } from '../command-run';
import { requireAccount } from '../use-cases/accounts';
import { toReviewReport, type ReviewReport } from './review-report';

const DEFAULT_LIMIT = 100;
const STATES = ['open', 'charged', 'waived', 'all'] as const satisfies readonly (ReviewState | 'all')[];

interface GivenFilter {
  state: ReviewState | 'all';
  account?: string;
  limit: number;
  after?: string;
}

export function addReviewListCommand(review: Command, { run }: Program): void {
  review
    .command('list')
    .description('list reviews, newest first')
    .addOption(new Option('--state <state>', 'those in this state').choices(STATES).default('open'))
    .option('--account <account>', 'those of this account, acct_…', readAccountId)
    .option('--limit <count>', 'at most this many, up to 1000', readLimit, DEFAULT_LIMIT)
    .option('--after <review>', 'those after this one, rev_…', readReviewId)
    .addHelpText(
      'after',
      '\nExamples:\n  admin review list\n  admin review list --state all --account acct_01jd0000000000000000000000',
    )
    .action((filter: GivenFilter) => run((pool) => list(pool, filter)));
}

async function list(pool: Pool, filter: GivenFilter): Promise<Report> {
  const { state, account, limit, after } = filter;
  if (account !== undefined) await requireAccount(account, createPrismaClient(pool));
  const reviews: Review[] = await listReviews(pool, {
    limit: limit + 1,
    afterId: after,
    accountId: account,
    state: state === 'all' ? undefined : state,
  });
  const page = toListPage(reviews.map(toReviewReport), limit, (report) => report.review_id);
  const lines = page.data.map(toLine);
  if (page.has_more) lines.push(`More: ${nextCommand(filter, String(page.last_id))}`);
  return { json: page, text: lines.length > 0 ? lines.join('\n') : noReviews(state) };
}

function toLine(report: ReviewReport): string {
  const wanted = report.proposed_resolution === null ? '' : `, proposed: ${report.proposed_resolution}`;
  return [
    report.review_id,
    new Date(report.created_at * 1_000).toISOString(),
    report.account_id,
    report.reason.padEnd(15),
    `${report.reserved} reserved`,
    `${report.state}${wanted}`,
  ].join('  ');
}

function nextCommand({ state, account, limit }: GivenFilter, lastId: string): string {
  const parts = ['admin review list'];
  if (state !== 'open') parts.push('--state', state);
  if (account !== undefined) parts.push('--account', toPublicId('acct', account));
  if (limit !== DEFAULT_LIMIT) parts.push('--limit', String(limit));
  return [...parts, '--after', lastId].join(' ');
}

function noReviews(state: GivenFilter['state']): string {
  return state === 'all' ? 'There are no reviews.' : `There are no ${state} reviews.`;
}
