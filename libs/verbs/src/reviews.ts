import { findEmails, type Account, type Accounts } from '@farebox/accounts';
import { toPublicId } from '@farebox/auth';
import { toListPage, toUnixSeconds } from '@farebox/api';
import {
  findReview,
  listReviews,
  proposeResolution,
  REVIEW_REASONS,
  type Review,
  type ReviewReason,
  type ReviewState,
} from '@farebox/ledger';
import { byTokenColumn, toDecimalUsd } from '@farebox/money';
import { Option } from 'commander';
import type { Pool } from 'pg';
import { requireAccount, requireAccountId } from './accounts';
import { readReviewId } from './arguments';
import { readAccount } from './named-accounts';
import { type CommandFailure, NotFoundFailure } from './failures';
import type { Verbs } from './verb';
import type { Report } from './report';
import {
  addPageOptions,
  givenLimit,
  nextCommand,
  toFields,
  toListReport,
  toTable,
  type Column,
  toIso,
} from './lists';

const STATES = ['open', 'charged', 'waived', 'all'] as const satisfies readonly (ReviewState | 'all')[];
const COLUMNS: readonly Column[] = [
  ...[
    { name: 'review' },
    { name: 'when' },
    { name: 'e-mail' },
    { name: 'model' },
    { name: 'request' },
    { name: 'reason' },
  ],
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

export const reviewCommands: Verbs = {
  'review list': {
    help: 'list reviews, newest first',
    takes: (command) =>
      addPageOptions(
        command
          .addOption(
            new Option('--state <state>', 'only those in this state').choices(STATES).default('open'),
          )
          .addOption(new Option('--reason <reason>', 'only those with this reason').choices(REVIEW_REASONS))
          .option('--account <account>', 'only those of this account, acct_… or e-mail address', readAccount),
        { of: 'review', description: 'continue after this one, rev_…', read: readReviewId },
      ),
    examples: [
      'admin review list',
      'admin review list --state all --account acct_01jd0000000000000000000000',
    ],
    run:
      ({ read }) =>
      (filter: GivenFilter) =>
        read((pool, accounts) => list(pool, accounts, filter)),
  },
  'review show': {
    help: 'show one review with the facts for a decision',
    takes: (command) => command.argument('<review>', 'rev_…', readReviewId),
    examples: ['admin review show rev_01jd0000000000000000000000'],
    run:
      ({ read }) =>
      async (reviewId: string) => {
        await read(async (pool, accounts) => {
          const found = await requireReview(reviewId, pool);
          const account = await requireAccount(found.accountId, accounts);
          const json = {
            ...toReviewReport(found),
            reason_text: REASON_IN_WORDS[found.reason],
            account_name: account.name,
            account_email: account.email,
          };
          return { json, text: toText(found, account) };
        });
      },
  },
};

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
  const listed = await withEmails(reviews, accounts);
  const page = toListPage(listed, limit, (report) => report.review_id);
  return toListReport(page, {
    columns: COLUMNS,
    toRow,
    none: noReviews(state),
    next: (lastId) => nextCommand('review list', toOptions(filter), lastId),
  });
}

interface ListedReview extends ReviewReport {
  account_email: string;
}

async function withEmails(reviews: readonly Review[], accounts: Accounts): Promise<ListedReview[]> {
  const emails = await findEmails(accounts, [...new Set(reviews.map(({ accountId }) => accountId))]);
  return reviews.map((review) => ({
    ...toReviewReport(review),
    account_email: emails.get(review.accountId) ?? '',
  }));
}

function toRow(report: ListedReview): string[] {
  return [
    ...[report.review_id, toIso(report.created_at), report.account_email],
    ...[report.model ?? '', report.request_id, report.reason],
    ...[report.reserved, report.state, report.proposed_resolution ?? ''],
  ];
}

/** Reviews as `review list` shows them. */
export async function toReviewTable(reviews: readonly Review[], accounts: Accounts): Promise<string> {
  return toTable(COLUMNS, (await withEmails(reviews, accounts)).map(toRow));
}

/** Only options that differ from the default. */
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

const REASON_IN_WORDS: Record<ReviewReason, string> = {
  gateway_lost:
    'The gateway stopped during the request, and nothing shows what was delivered. ' +
    'The hold was released: nothing was charged.',
  usage_over_hold: 'More was measured than was held. The hold was charged, the rest was not.',
  usage_implausible:
    'The upstream reported impossible usage. The charge was the count of the service itself or, if only ' +
    'some values contradict the rest, the highest possible usage.',
  charge_failed: 'The charge could not be recorded. The measured amount, at most the hold, was reserved.',
  response_lost:
    'Repeatedly, nothing of a response was written to its client, and its charge was refunded. ' +
    'From the third such request of a day on they are counted here: check what the client does.',
};

function toText(review: Review, account: Account): string {
  const report = toReviewReport(review);
  const fields: [label: string, text: string][] = [
    ['why', REASON_IN_WORDS[review.reason]],
    ['when', review.createdAt.toISOString()],
    ['account', `${report.account_id}  ${account.name} <${account.email}>`],
    ['API key', report.key_public_id],
    ['request', `${report.request_id}, model ${report.model ?? 'unknown'}`],
    ['held', `${report.held} dollars`],
    ['reserved', `${report.reserved} dollars`],
    ['measured', describeMeasure(review, report.measured_cost)],
    ['answer', describeAnswer(review.streamed)],
    review.state === 'open'
      ? ['proposed', describeProposal(review)]
      : ['resolved', describeResolution(review) + (review.note === null ? '' : `: ${review.note}`)],
  ];
  if (review.requestCount > 1)
    fields.push([
      'counted',
      `${String(review.requestCount)} requests, the last one ${report.last_request_id ?? ''}`,
    ]);
  const heading = `${report.review_id}  ${report.state}`;
  return `${heading}\n${toFields(fields)}`;
}

function describeMeasure(review: Review, measuredCost: string | null): string {
  if (measuredCost === null) return 'nothing';
  const tokens = `${String(review.promptTokens)} prompt and ${String(review.completionTokens)} completion tokens`;
  const counted = review.estimated === true ? ', counted by the service itself' : '';
  const guessed = review.isUncounted ? ', an estimate since the count could not be finished' : '';
  return `${measuredCost} dollars: ${tokens}${counted}${guessed}, outcome ${String(review.outcome)}`;
}

function describeAnswer(streamed: boolean | null): string {
  if (streamed === null) return 'not known';
  return streamed ? 'streamed' : 'in one piece';
}

/** The explanations of `proposeResolution`. */
function describeProposal(review: Review): string {
  if (review.reason !== 'charge_failed') return 'waive, which closes it: nothing is reserved to be charged';
  return proposeResolution(review) === 'charge'
    ? 'charge: the measured usage reached the customer'
    : 'waive: the response was withheld';
}

export type ReviewReport = ReturnType<typeof toReviewReport>;

/** A review as a script sees it. `reserved` is the amount held back while it was open. */
export function toReviewReport(review: Review) {
  return {
    review_id: toPublicId('rev', review.id),
    state: review.state,
    reason: review.reason,
    proposed_resolution: proposeResolution(review),
    account_id: toPublicId('acct', review.accountId),
    key_public_id: toPublicId('key', review.apiKeyId),
    request_id: review.requestId,
    request_count: review.requestCount,
    last_request_id: review.lastRequestId,
    model: review.modelId,
    currency: 'usd',
    held: toDecimalUsd(review.heldNano),
    reserved: toDecimalUsd(review.reservedNano),
    measured_cost: review.measuredCostNano === null ? null : toDecimalUsd(review.measuredCostNano),
    prompt_tokens: review.promptTokens,
    completion_tokens: review.completionTokens,
    ...byTokenColumn((kind) => review[kind]),
    outcome: review.outcome,
    streamed: review.streamed,
    estimated: review.estimated,
    created_at: toUnixSeconds(review.createdAt),
    resolved_at: review.resolvedAt === null ? null : toUnixSeconds(review.resolvedAt),
    resolved_by: review.resolvedBy,
    note: review.note,
  };
}

/** How a review was resolved, by whom and when: one clause for a person. */
export function describeResolution({ state, resolvedBy, resolvedAt }: Review): string {
  return `${state} by ${resolvedBy ?? 'unknown'} on ${resolvedAt?.toISOString() ?? 'an unknown day'}`;
}

/** Throws `CommandFailure` if there is no such review. */
export async function requireReview(reviewId: string, pool: Pick<Pool, 'query'>): Promise<Review> {
  const review = await findReview(pool, reviewId);
  if (!review) throw noSuchReview(reviewId);
  return review;
}

export function noSuchReview(reviewId: string): CommandFailure {
  return new NotFoundFailure(`There is no review ${toPublicId('rev', reviewId)}.`);
}
