import type { Account } from '@farebox/accounts';
import { proposeResolution, type Review, type ReviewReason } from '@farebox/ledger';
import type { Command } from 'commander';
import { readReviewId } from '../arguments';
import type { Program } from '../command-run';
import { toFields } from '../text-table';
import { requireAccount } from '../use-cases/accounts';
import { requireReview } from '../use-cases/reviews';
import { describeResolution, toReviewReport } from './review-report';

const REASON_IN_WORDS: Record<ReviewReason, string> = {
  gateway_lost:
    'The gateway stopped while the request was under way, and nothing shows what was delivered. ' +
    'The hold was released: nothing was charged.',
  usage_over_hold: 'More was measured than was held. The hold was charged, the rest was not.',
  usage_implausible:
    'The upstream reported usage that cannot be true. What the service counted itself was charged.',
  charge_failed: 'The charge could not be recorded. What was measured, at most the hold, was reserved.',
};

export function addReviewShowCommand(review: Command, { read }: Program): void {
  review
    .command('show')
    .description('show one review with what is needed to decide it')
    .argument('<review>', 'rev_…', readReviewId)
    .addHelpText('after', '\nExample:\n  admin review show rev_01jd0000000000000000000000')
    .action(async (reviewId: string) => {
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
    });
}

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
  return `${measuredCost} dollars: ${tokens}${counted}, outcome ${String(review.outcome)}`;
}

function describeAnswer(streamed: boolean | null): string {
  if (streamed === null) return 'not known';
  return streamed ? 'streamed' : 'in one piece';
}

/** The reasons go with `proposeResolution`. */
function describeProposal(review: Review): string {
  if (review.reason !== 'charge_failed') return 'waive, which closes it: nothing is reserved to be charged';
  return proposeResolution(review) === 'charge'
    ? 'charge: what was measured reached the customer'
    : 'waive: the answer was withheld';
}
